#include "model/sim/core_pace.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "model/analytic/waves.hpp"
#include "model/sim/sm_simulator.hpp"
#include "model/support/errors.hpp"

namespace tilecast::sim {
namespace {

// S18. Everything beyond the SM, and everything that happens once a launch, takes no time.
CoreParameters memory_at_once() {
  constexpr double unlimited = 1e9;
  CoreParameters p;
  p.clock = 1;
  p.fence = p.fence_interval = p.cluster_release = 1;
  p.fence_behind = p.fence_behind_fence = p.fence_each_fourfold = 0;
  p.fence_behind_stores = p.fence_behind_fence_stored = 0;
  p.cluster_latency = p.shared_latency;
  p.cluster_bytes_per_cycle = unlimited;
  p.first_access = 0;
  p.store_port_bytes_per_cycle = p.port_bytes_per_cycle = unlimited;
  p.lone_port_cost = p.lone_l2_cost = 1;
  p.store_packets_held = unlimited;
  p.store_bytes_unsent = unlimited;
  p.l2_read = p.l2_write = p.dram_read = p.dram_write = unlimited;
  p.line_fetch = 0;
  p.constant_line_few = p.constant_line = 0;
  return p;
}

// Numbers of blocks to simulate; between them the pace is nearly linear.
constexpr std::array<int, 9> read_at{1, 2, 3, 4, 6, 8, 12, 16, 24};

// Cycles: about the latencies of the H200's L2 and DRAM.
constexpr std::array<double, 2> latencies{300, 700};

// Warps that wait for the same latency each time may get in step with each other, and stay so. So there are
// other runs, with latencies that are drawn among longer ones. What they take less with these was no wait for
// data. The tenth percentile, the median and the ninetieth, as parts of that latency: chosen so that hardly
// any is shorter, a little nearer to each other than those of the H200's L2 (S18).
constexpr std::uint64_t draws = 3;
constexpr double low = 1.02, middle = 1.08, high = 1.15;

Curve at_any_load(double latency) {
  return {.x = {1}, .y = {latency}};
}

void check(const InstructionStream& stream) {
  if (const auto problem = stream_problem(stream); !problem.empty())
    throw InputError("instruction stream: " + problem);
}

}  // namespace

std::vector<CoreWait> core_waits(const InstructionStream& stream, const InL1Half& in_l1_half) {
  check(stream);
  auto parameters = memory_at_once();
  parameters.copies_in_l1_half = in_l1_half.of(1);
  std::vector<CoreWait> waits;
  for (const double latency : latencies) {
    const Curve curves[] = {at_any_load(low * latency), at_any_load(middle * latency),
                            at_any_load(high * latency)};
    const auto cycles = [&](const LevelLatency& level, std::uint64_t seed) {
      parameters.l2 = parameters.dram = level;
      SmWork work;
      work.seed = seed;
      return simulate_sm(stream, parameters, work).cycles;
    };
    Cycle least = cycles({latency, latency}, 1);
    for (std::uint64_t draw = 1; draw <= draws; ++draw)
      least = std::min(least, cycles({latency, latency, &curves[1], &curves[0], &curves[2]}, draw));
    waits.push_back({latency, static_cast<double>(least)});
  }
  return waits;
}

std::vector<CorePace> core_paces(const InstructionStream& stream, std::int64_t resident,
                                 const InL1Half& in_l1_half) {
  check(stream);
  auto parameters = memory_at_once();
  const auto warps = static_cast<double>(stream.role_of_warp.size());
  // Blocks with fewer warps than schedulers spread over groups of schedulers: count blocks per group.
  const int groups = std::max(1, static_cast<int>(parameters.schedulers / warps));
  const auto most = static_cast<int>(resident);
  std::vector<CorePace> paces;
  const auto add = [&](int blocks) {
    parameters.copies_in_l1_half = in_l1_half.of(blocks);
    SmWork work;
    work.resident = work.blocks = blocks;
    const auto together = simulate_sm(stream, parameters, work);
    CorePace pace{.blocks = static_cast<double>(blocks),
                  .first = static_cast<double>(together.cycles),
                  .later = static_cast<double>(together.cycles),
                  .ends_apart = static_cast<double>(together.block_end.back() - together.block_end.front())};
    if (blocks > 1) {
      // The pace from the first block's end to the first end that no block follows.
      work.blocks = analytic::most_waves_in_step * blocks;
      const auto result = simulate_sm(stream, parameters, work);
      const auto end = static_cast<std::size_t>(work.blocks - blocks);
      const double of_a_block = issued_instructions(stream);
      pace.later = static_cast<double>(result.block_end[end] - result.block_end[0]) * blocks * of_a_block /
                   (result.issued_by_end[end] - result.issued_by_end[0]);
    }
    paces.push_back(pace);
  };
  if (groups > 1 && most > 1) add(1);
  for (const int each : read_at) {
    if (each * groups < most) add(each * groups);
  }
  add(most);
  return paces;
}

}  // namespace tilecast::sim
