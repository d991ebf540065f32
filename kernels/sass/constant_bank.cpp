#include "kernels/sass/constant_bank.hpp"

#include <fmt/format.h>

#include <array>

#include "model/support/errors.hpp"

namespace tilecast::sass {

ConstantBankLayout constant_bank_layout(std::string_view target) {
  constexpr std::array<std::string_view, 6> to_ada = {"sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89"};
  for (const auto known : to_ada) {
    if (target == known) return {};
  }
  if (target.starts_with("sm_90")) return {.parameters = 0x210, .cluster = 0x140};
  if (target.starts_with("sm_10") || target.starts_with("sm_11") || target.starts_with("sm_12"))
    return {.block_size = 0x360,
            .grid_size = 0x370,
            .stack_pointer = 0x37c,
            .parameters = 0x380,
            .cluster = 0x36c};
  throw InputError(fmt::format("target '{}': expected sm_75 to sm_121", target));
}

}  // namespace tilecast::sass
