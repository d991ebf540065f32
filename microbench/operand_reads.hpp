#pragma once
// What a loop's FFMAs ask of the register file, counted in the machine code (sm_80 to sm_90). Pure; tested on
// hand-made code.
//
// Found on the H200 with loops of FFMAs of chosen registers (bank = number modulo 2; fma_rate_of_... in
// microbench/results/nvidia-h200/fma_ports.csv, which the rule meets within 2 %, tested): each scheduler's
// register file has two banks that deliver one operand a cycle each, so an FFMA with three operands of one
// bank takes three cycles, with two of one bank two. An operand with the reuse flag is kept, one for each
// operand slot and bank, and costs nothing while the same warp asks for it again in that slot; a register in
// two slots is read once. The reads of one FFMA may overlap with the next one's of the other bank, but not
// further: runs of conflicts in one bank followed by runs in the other are not evened out.

#include <cstddef>
#include <span>

#include "kernels/runtime/machine_code.hpp"

namespace tilecast {

struct OperandReads {
  std::size_t ffmas = 0;         // of the loop
  std::size_t instructions = 0;  // all of it
  double busier_bank = 0;        // reads an FFMA; both banks over the whole loop
  double other_bank = 0;
  // Cycles an FFMA by these rules, every other instruction taking one cycle of its own and no operand. Of
  // compiled outer products (fma_ports.csv) within 3 %; with their shared-memory loads, whose results also
  // need the register file, 5 to 15 % too few.
  double cycles = 0;
};

// Whether instructions are encoded as this file and operand_patch.hpp read them: compute capability 8.x
// and 9.x.
constexpr bool encoding_known(int major) {
  return major == 8 || major == 9;
}

// The loop with the most FFMAs: the instructions from the target of a backward branch to the branch. Empty
// when there is none. `major` is the compute capability's, 8 or 9: they encode branches differently.
std::span<const MachineWord> ffma_loop(std::span<const MachineWord> code, int major);

// Cycles that one warp takes for a round by the stall counts alone, which the compiler wrote into the
// instructions: at least one each, two where the warp yields (EQUATIONS.md S1).
int stall_cycles(std::span<const MachineWord> loop);

// Of one loop, as ffma_loop() finds it; all zero when it has no FFMA.
OperandReads operand_reads(std::span<const MachineWord> loop);

}  // namespace tilecast
