#include "model/analytic/code_wave.hpp"

#include <algorithm>
#include <cmath>

#include "model/analytic/overlap.hpp"

namespace tilecast::analytic {
namespace {

std::size_t index(BoundId id) {
  return static_cast<std::size_t>(id);
}

// A15. A barrier waits for the slowest of the lines that the block's trip asked for: with several, one is
// sure to lie in the far partition; one misses unless all hit.
Seconds slowest_latency(const Phase& phase, const Traffic& traffic, const Machine& machine) {
  constexpr double line_bytes = 128;
  const Cycles hit = machine.l2_far_latency.value_or(machine.l2_latency.value_or(Cycles{}));
  const Cycles miss = std::max(hit, machine.dram_latency.value_or(hit));
  const double lines = std::max(1.0, phase.fetched.value() / line_bytes);
  const double missed = 1 - std::pow(1 - std::min(1.0, traffic.dram_read_share), lines);
  return (hit + missed * (miss - hit)) / machine.clock;
}

// What one block takes for one trip of a phase, apart from what it shares.
struct Alone {
  Seconds segments{}, waits{}, barriers{}, requests{};
};

Alone alone_of(const Phase& phase, const CodeCost& around, const CodeCost& compute, double warps,
               const Traffic& traffic, const Machine& machine, const Enabled& enabled) {
  Alone a;
  const double before = segment_cycles(around, warps, machine, enabled);
  const double after = segment_cycles(compute, phase.active_warps, machine, enabled);
  a.segments = Cycles{before + after} / machine.clock;
  if (enabled[index(BoundId::barrier)]) {
    const double barriers = phase.code->around.barriers + phase.code->compute.barriers;
    a.barriers = barriers * barrier_cycles(warps, machine) / machine.clock;
  }
  if (enabled[index(BoundId::latency)]) {
    const Seconds latency = slowest_latency(phase, traffic, machine);
    a.waits = (waits_for_itself(phase) ? std::max(1.0, phase.exposed_latencies) : phase.exposed_latencies) *
              latency;
    // Data that a trip asks for, after what comes before its computation, are there d trips later.
    if (phase.fetch_distance > 0 && phase.fetched > Bytes{})
      a.requests = (Cycles{before} / machine.clock + latency) / static_cast<double>(phase.fetch_distance);
  }
  return a;
}

}  // namespace

Seconds CodeWave::busiest() const {
  return std::max({fma, issue + ports, alu, shared, l2, dram, cluster});
}

CodeWave code_wave(const KernelDescription& kernel, const Wave& wave, const Traffic& traffic,
                   const Machine& machine, const Enabled& enabled) {
  const auto on = [&](BoundId id) { return enabled[index(id)]; };
  const double warps = static_cast<double>(kernel.launch.threads) / 32;
  const double b = wave.blocks_per_sm;
  CodeWave sum;
  for (const auto& phase : kernel.phases) {
    const CodeCost around = code_cost(phase.code->around, CodeKind::around, machine, enabled);
    const CodeCost compute = code_cost(phase.code->compute, CodeKind::compute, machine, enabled);
    const double all = warps_on_busiest_scheduler(b * warps, machine);
    const double active = warps_on_busiest_scheduler(b * phase.active_warps, machine);
    const auto both = [&](double of_all, double of_active) {
      return phase.trips * Cycles{all * of_all + active * of_active} / machine.clock;
    };
    sum.fma += both(around.fma, compute.fma);
    sum.issue += both(around.issue, compute.issue);
    sum.ports += both(around.ports, compute.ports);
    sum.alu += both(around.alu, compute.alu);
    const Seconds queue = both(around.queue, compute.queue);
    const Seconds pipe =
        phase.trips * Cycles{b * (warps * around.pipe + phase.active_warps * compute.pipe)} / machine.clock;
    sum.shared += std::max(queue, pipe);
    const Seconds l2 = on(BoundId::l2) ? l2_time(phase, wave, traffic, machine) : Seconds{};
    sum.l2 += phase.trips * l2;
    if (on(BoundId::dram)) sum.dram += phase.trips * dram_time(phase, wave, traffic, machine);
    if (on(BoundId::cluster)) sum.cluster += phase.trips * b * cluster_transfer(phase, machine);

    const Alone a = alone_of(phase, around, compute, warps, traffic, machine, enabled);
    const Seconds exchange = on(BoundId::cluster) ? cluster_waits(phase, machine) : Seconds{};
    const Seconds chain = a.segments + a.barriers + a.waits + exchange;
    const Seconds requests = a.requests > Seconds{} ? a.requests + a.barriers : Seconds{};
    // All SMs are in the same phase, more or less: a block has its share of L2's bandwidth, no more.
    const Seconds share = l2 / b;
    const Seconds alone = std::max({chain, requests, share});
    sum.alone += phase.trips * alone;
    sum.share += phase.trips * (alone - std::max(chain, requests));
    sum.chain += phase.trips * a.segments;
    sum.barrier += phase.trips * a.barriers;
    sum.latency += phase.trips * std::max(a.waits, requests - a.segments - a.barriers);
    sum.cluster = std::max(sum.cluster, phase.trips * exchange);
  }
  return sum;
}

CodeWave scaled(const CodeWave& wave, const Factors& factors) {
  const auto by = [&](BoundId id, Seconds time) { return factors[index(id)] * time; };
  CodeWave w;
  w.fma = by(BoundId::fma, wave.fma);
  w.issue = by(BoundId::issue, wave.issue);
  w.ports = by(BoundId::ports, wave.ports);
  w.alu = by(BoundId::alu, wave.alu);
  w.shared = by(BoundId::shared, wave.shared);
  w.l2 = by(BoundId::l2, wave.l2);
  w.dram = by(BoundId::dram, wave.dram);
  w.cluster = by(BoundId::cluster, wave.cluster);
  w.chain = by(BoundId::chain, wave.chain);
  w.latency = by(BoundId::latency, wave.latency);
  w.barrier = by(BoundId::barrier, wave.barrier);
  // What is left is the exchange of a cluster.
  const Seconds rest = wave.alone - wave.chain - wave.latency - wave.barrier - wave.share;
  w.share = by(BoundId::l2, wave.share);
  w.alone = w.chain + w.latency + w.barrier + w.share + by(BoundId::cluster, rest);
  return w;
}

Seconds wave_time(const CodeWave& wave, double blocks, Seconds later, const Enabled& enabled) {
  const Seconds alone = wave.alone + later;
  const Seconds sharp = std::max(wave.busiest(), alone);
  if (!enabled[index(BoundId::overlap)] || blocks <= 0) return sharp;
  return std::max(sharp, Seconds{overlapped(blocks, wave.busiest().value() / blocks, alone.value())});
}

}  // namespace tilecast::analytic
