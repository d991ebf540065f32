#pragma once
// The time of a wave whose machine code is known (EQUATIONS.md A15).

#include "model/analytic/code_cost.hpp"

namespace tilecast::analytic {

// Of all trips of all phases of one wave: what each resource needs for the wave's blocks, and what one block
// takes that nobody disturbs.
struct CodeWave {
  Seconds fma{}, issue{}, ports{}, alu{}, shared{}, l2{}, dram{}, cluster{};  // blocks together
  // Of one block, parts of `alone`; share: what it waits longer for its share of L2.
  Seconds chain{}, latency{}, barrier{}, share{};
  Seconds alone{};
  Seconds busiest() const;  // resource
};

// Every part that is switched off is zero.
CodeWave code_wave(const KernelDescription& kernel, const Wave& wave, const Traffic& traffic,
                   const Machine& machine, const Enabled& enabled);

// How much shorter or longer the parts may be; `alone` is made of the others again.
CodeWave scaled(const CodeWave& wave, const Factors& factors);

// Of the wave's blocks, b on an SM, the last of which starts `later` than the first.
Seconds wave_time(const CodeWave& wave, double blocks, Seconds later, const Enabled& enabled);

}  // namespace tilecast::analytic
