// What a part of a wave needs of each resource (EQUATIONS.md A15).
#include <algorithm>
#include <array>

#include "model/analytic/code_wave.hpp"

namespace tilecast::analytic {
namespace {

constexpr std::array members = {
    &CodePart::fma,     &CodePart::issue,  &CodePart::ports,   &CodePart::alu,       &CodePart::queue,
    &CodePart::pipe,    &CodePart::l2,     &CodePart::dram,    &CodePart::l2_stores, &CodePart::dram_writes,
    &CodePart::cluster, &CodePart::chain,  &CodePart::latency, &CodePart::barrier,   &CodePart::exchange,
    &CodePart::share,   &CodePart::meeting};

}  // namespace

Seconds CodePart::scheduler() const {
  return std::max({fma, issue + ports, alu, queue});
}

Seconds CodePart::wide() const {
  return std::max({pipe, l2, dram, cluster});
}

CodePart& CodePart::operator+=(const CodePart& other) {
  for (auto member : members)
    this->*member += other.*member;
  return *this;
}

CodePart operator*(double times, CodePart part) {
  for (auto member : members)
    part.*member = times * (part.*member);
  return part;
}

CodePart less(CodePart from, const CodePart& by) {
  for (auto member : members)
    from.*member = from.*member - std::min(from.*member, by.*member);
  return from;
}

CodePart scaled(const CodePart& part, const Factors& factors) {
  const auto by = [&](BoundId id, Seconds time) { return factors[index(id)] * time; };
  return {.fma = by(BoundId::fma, part.fma),
          .issue = by(BoundId::issue, part.issue),
          .ports = by(BoundId::ports, part.ports),
          .alu = by(BoundId::alu, part.alu),
          .queue = by(BoundId::shared, part.queue),
          .pipe = by(BoundId::shared, part.pipe),
          .l2 = by(BoundId::l2, part.l2),
          .dram = by(BoundId::dram, part.dram),
          .cluster = by(BoundId::cluster, part.cluster),
          .l2_stores = by(BoundId::l2, part.l2_stores),
          .dram_writes = by(BoundId::dram, part.dram_writes),
          .chain = by(BoundId::chain, part.chain),
          .latency = by(BoundId::latency, part.latency),
          .barrier = by(BoundId::barrier, part.barrier),
          .exchange = by(BoundId::cluster, part.exchange),
          .share = by(BoundId::l2, part.share),
          .meeting = by(BoundId::cluster, part.meeting)};
}

}  // namespace tilecast::analytic
