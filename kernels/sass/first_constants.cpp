#include "kernels/sass/first_constants.hpp"

#include <cstdint>
#include <set>

#include "kernels/sass/constant_bank.hpp"

namespace tilecast::sass {

std::vector<bool> first_constants(const Program& program, const Counts& counts) {
  constexpr std::int64_t constant_line_bytes = 64;  // H200, microbench/experiments/first_constants.cu
  const auto layout = constant_bank_layout(program.target);
  std::set<std::int64_t> there{layout.block_size / constant_line_bytes,
                               layout.stack_pointer / constant_line_bytes,
                               layout.parameters / constant_line_bytes};
  std::vector<bool> first(program.instructions.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (counts.instructions[i].executed <= 0) continue;
    for (const auto& operand : program.instructions[i].sources) {
      const bool known = operand.kind == OperandKind::constant && operand.bank == 0 && !operand.base &&
                         !operand.uniform_base;
      if (known && there.insert(operand.value / constant_line_bytes).second) first[i] = true;
    }
  }
  return first;
}

}  // namespace tilecast::sass
