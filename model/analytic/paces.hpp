#pragma once
// The paces at which the simulator ran a kernel's code on one SM (S18), in terms of the analytic model
// (EQUATIONS.md A20).

#include "model/analytic/code_wave.hpp"

namespace tilecast::analytic {

// Waves of so many blocks an SM, with a memory that answers at once.
struct WavePace {
  Seconds first{}, later{};  // the first wave, whose blocks begin together; a later wave
  Seconds ends_apart{};      // between the first block's end and the last's
  // Schedulers with one block more than the others end last: their share of the blocks, and the time between
  // the first and the last end of these.
  double last_share = 1;
  Seconds last_apart{};
};

// Requires core_paces.
WavePace wave_pace(const KernelDescription& kernel, double blocks, const Machine& machine);

// The same for blocks on `groups` groups of schedulers, some of which may have one block more than the
// others.
WavePace wave_pace(const KernelDescription& kernel, double blocks, double groups, const Machine& machine);

// Time of one block alone, its warps out of step.
Seconds block_pace(const KernelDescription& kernel, const Machine& machine);

// A memory that answers at once can keep warps in step that ask for data ahead of their trips, so that one
// block takes less with some latency. The shortest of the times with one, as a share of that at once.
double out_of_step(const KernelDescription& kernel);

// Whether some phase asks for data ahead of its trips; whether warps load spilled registers.
bool asks_ahead(const KernelDescription& kernel);
bool loads_spilled(const KernelDescription& kernel);

// The waits (A13) with which the wave takes as long as `pace` says.
PacedWaits as_waits(const CodeWave& wave, const WavePace& pace, const Enabled& enabled);

// How much longer than block_pace() one block takes with this latency of data from beyond the SM. Requires
// core_waits.
Seconds latency_seen(const KernelDescription& kernel, Cycles latency, const Machine& machine);

// Adds what a block that asks for data ahead was seen to wait longer for them than A15 says.
void add_waits_ahead(CodeWave& wave, const KernelDescription& kernel, const Traffic& traffic,
                     const Machine& machine);

// The same without what comes from beyond the SM: L2, DRAM, clusters and their latencies.
CodePart core_of(CodePart part);

}  // namespace tilecast::analytic
