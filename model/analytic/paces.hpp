#pragma once
// What the machine code was seen to take of an SM (S18), in terms of the analytic model (EQUATIONS.md A20).

#include "model/analytic/code_wave.hpp"

namespace tilecast::analytic {

// Of so many blocks an SM at once that nothing from beyond it holds up: those that begin together, those of a
// later wave, and between the first end and the last.
// Where some schedulers have one block more than the others, theirs end last: a share of all, and so far
// apart.
struct WavePace {
  Seconds first{}, later{}, ends_apart{};
  double last_share = 1;
  Seconds last_apart{};
};

// Requires core_paces.
WavePace wave_pace(const KernelDescription& kernel, double blocks, const Machine& machine);

// Of blocks on so many groups of schedulers, some of which may have one more than the others.
WavePace wave_pace(const KernelDescription& kernel, double blocks, double groups, const Machine& machine);

// Of one block alone. Where it asks for data ahead of its trips it may take less with a latency than where
// memory answers at once: as much less as with the latency that makes the least difference.
Seconds block_pace(const KernelDescription& kernel, const Machine& machine);

// Whether a phase asks for data ahead of its trip; whether warps load spilled registers.
bool asks_ahead(const KernelDescription& kernel);
bool loads_spilled(const KernelDescription& kernel);

// Which waits (A13) make the wave's blocks as fast as that.
PacedWaits as_waits(const CodeWave& wave, const WavePace& pace, const Enabled& enabled);

// What a block takes longer where data from beyond the SM are there so late. Requires core_waits.
Seconds latency_seen(const KernelDescription& kernel, Cycles latency, const Machine& machine);

// Without what comes from beyond the SM.
CodePart core_of(CodePart part);
CodeWave core_of(CodeWave wave);

}  // namespace tilecast::analytic
