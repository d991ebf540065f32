#pragma once
// A kernel's machine code as a program: instructions, basic blocks, control-flow graph, natural loops.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernels/sass/instruction.hpp"

namespace tilecast::sass {

// Instructions [first, last) that are always executed in one go by the threads that enter together.
struct BasicBlock {
  int first = 0, last = 0;
  std::vector<int> successors, predecessors;  // blocks; those of a return are not known
  std::optional<int> loop;                    // the innermost one it belongs to
};

// A natural loop: its header dominates every block, and every back edge goes to the header.
struct Loop {
  int header = 0;
  std::vector<int> blocks;      // sorted
  std::vector<int> back_edges;  // blocks that jump back to the header
  std::optional<int> parent;    // the loop around it
  int depth = 1;
};

struct Program {
  std::string entry;         // the kernel's name
  std::string target;        // "sm_90"
  int parameter_offset = 0;  // of the kernel's first argument in constant bank 0
  // Constants that the compiler put beside the code: bytes of banks 1 and up. Empty for a program read from a
  // listing.
  std::map<int, std::vector<std::byte>> constants;
  std::vector<Instruction> instructions;
  std::vector<BasicBlock> blocks;
  std::vector<Loop> loops;  // outer before inner

  int block_at(std::int64_t offset) const;  // the block that holds the instruction at this offset
};

// Finds blocks and loops. `parameter_offset` as in Program. Throws InputError where control goes where no
// instruction is.
Program make_program(std::vector<Instruction> instructions, std::string entry, std::string target,
                     int parameter_offset);

// The listing's program; the place of the arguments is that of the target's binary interface. Throws
// InputError.
Program read_listing(std::string_view listing, std::string_view entry, std::string_view name);

}  // namespace tilecast::sass
