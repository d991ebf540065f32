#include "kernels/sass/program.hpp"

#include <algorithm>

#include "kernels/sass/constant_bank.hpp"
#include "kernels/sass/flow_graph.hpp"
#include "kernels/sass/listing.hpp"
#include "model/support/errors.hpp"

namespace tilecast::sass {

int Program::block_at(std::int64_t offset) const {
  const int instruction = static_cast<int>(offset / 16);
  const auto after = std::ranges::upper_bound(blocks, instruction, {}, &BasicBlock::first);
  return static_cast<int>(after - blocks.begin()) - 1;
}

Program make_program(std::vector<Instruction> instructions, std::string entry, std::string target,
                     int parameter_offset) {
  Program program{.entry = std::move(entry),
                  .target = std::move(target),
                  .parameter_offset = parameter_offset,
                  .instructions = std::move(instructions)};
  program.blocks = basic_blocks(program.instructions);
  program.loops = natural_loops(program.blocks);
  return program;
}

Program read_listing(std::string_view listing, std::string_view entry, std::string_view name) {
  auto target = listing_target(listing, name);
  const int offset = constant_bank_layout(target).parameters;
  return make_program(parse_listing(listing, entry, name), std::string(entry), std::move(target), offset);
}

}  // namespace tilecast::sass
