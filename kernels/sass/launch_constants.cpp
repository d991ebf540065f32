#include "kernels/sass/launch_constants.hpp"

#include <cstring>

#include "kernels/sass/constant_bank.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::sass {
namespace {

// Address of the first tensor, and distance of tensors, in units of 4 GiB.
constexpr std::uint64_t first_tensor = 0x7f00, tensors_apart = 0x10;

}  // namespace

std::size_t tensor_of_sector(std::uint64_t sector) {
  return ((sector * sector_bytes >> 32) - first_tensor) / tensors_apart;
}

ConstantBanks launch_constants(const Program& program, const LaunchPlan& plan) {
  const auto layout = constant_bank_layout(program.target);
  ConstantBanks banks;
  const auto set = [&](int offset, std::int64_t value) {
    banks.words[{0, offset}] = static_cast<std::uint32_t>(value);
  };
  set(layout.block_size, plan.threads);
  set(layout.block_size + 4, 1);
  set(layout.block_size + 8, 1);
  set(layout.grid_size, plan.grid_x);
  set(layout.grid_size + 4, plan.grid_y);
  set(layout.grid_size + 8, plan.grid_z);
  if (layout.cluster) set(*layout.cluster, plan.cluster_x > 1 ? 1 : 0);
  set(layout.stack_pointer, 0x1000000);  // above any frame; only differences to it matter
  constexpr int tensors = 3;
  for (int i = 0; i < tensors; ++i) {
    const std::uint64_t address = (first_tensor + tensors_apart * static_cast<std::uint64_t>(i)) << 32;
    set(program.parameter_offset + 8 * i, static_cast<std::uint32_t>(address));
    set(program.parameter_offset + 8 * i + 4, static_cast<std::uint32_t>(address >> 32));
  }
  for (std::size_t at = 0; at + 4 <= plan.params.size(); at += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, plan.params.data() + at, sizeof word);
    banks.words[{0, program.parameter_offset + 8 * tensors + static_cast<int>(at)}] = word;
  }
  for (const auto& [bank, bytes] : program.constants) {
    for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
      std::uint32_t word = 0;
      std::memcpy(&word, bytes.data() + at, sizeof word);
      banks.words[{bank, static_cast<int>(at)}] = word;
    }
  }
  return banks;
}

}  // namespace tilecast::sass
