#include "kernels/sass/control_field.hpp"

namespace tilecast::sass {
namespace {

constexpr int no_barrier = 7;

std::optional<int> barrier(std::uint64_t bits) {
  const int index = static_cast<int>(bits & 7);
  return index == no_barrier ? std::nullopt : std::optional<int>(index);
}

}  // namespace

ControlField control_field(std::uint64_t high) {
  return {.stall = static_cast<int>(high >> 41 & 15),
          .yield = (high >> 45 & 1) == 0,
          .write_barrier = barrier(high >> 46),
          .read_barrier = barrier(high >> 49),
          .wait_mask = static_cast<int>(high >> 52 & 63),
          .reuse_mask = static_cast<int>(high >> 58 & 15)};
}

}  // namespace tilecast::sass
