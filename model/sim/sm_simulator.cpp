#include "model/sim/sm_simulator.hpp"

#include <algorithm>

#include "model/sim/sm.hpp"

namespace tilecast::sim {

SmSimulator::SmSimulator(const InstructionStream& stream, const CoreParameters& parameters)
    : parameters_(parameters), code_(std::make_unique<SmCode>(stream, parameters)) {}

SmSimulator::~SmSimulator() = default;

SmResult SmSimulator::run(const SmWork& work, Timeline* timeline) const {
  Sm sm(*code_, parameters_, work, timeline);
  sm.advance(never);
  return sm.result();
}

SmResult SmSimulator::run_keeping(const SmWork& work, Timeline* timeline) {
  // What begins the tail is known only once it happens. So a copy is kept and renewed every few cycles: what
  // is simulated again, and what copying takes, is a small part of the whole.
  constexpr Cycle least = 4096, parts = 16;
  Sm sm(*code_, parameters_, work, timeline);
  before_tail_ = std::make_unique<Sm>(sm);
  for (Cycle until = least; sm.advance(until); until += std::max(least, until / parts)) {
    if (sm.before_tail()) before_tail_ = std::make_unique<Sm>(sm);
  }
  return sm.result();
}

SmResult SmSimulator::run_tail(const SmWork& work) const {
  Sm sm(*before_tail_, work);
  sm.advance(never);
  return sm.result();
}

SmResult simulate_sm(const InstructionStream& stream, const CoreParameters& parameters, const SmWork& work,
                     Timeline* timeline) {
  return SmSimulator(stream, parameters).run(work, timeline);
}

}  // namespace tilecast::sim
