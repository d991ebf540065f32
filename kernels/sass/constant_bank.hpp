#pragma once
// Where the driver puts a launch's values in constant bank 0.

#include <optional>
#include <string_view>

namespace tilecast::sass {

// Offsets in bytes.
struct ConstantBankLayout {
  int block_size = 0;      // blockDim.x, y, z: three words
  int grid_size = 12;      // gridDim.x, y, z: three words
  int stack_pointer = 40;  // the first value of R1
  int parameters = 0x160;
  std::optional<int> cluster;  // 1 where the launch has clusters; none: an architecture without
};

// Of "sm_75" to "sm_121". The parameters' offset is in every cubin (EIATTR_PARAM_CBANK of .nv.info), the
// others are those that the compiler (13.0) makes the kernel's first instruction, blockDim, gridDim and
// %is_explicit_cluster read: a barrier of the cluster begins with the latter. tests/architectures_test.cpp
// compiles a kernel of these for every architecture and looks. The cluster's size and rank are not in reach
// of one offset: the rank is a special register (SR_CgaCtaId), the size stands at 0x188 on sm_90, and from
// sm_100 on where the launch's SR_CgaSize says. No kernel here reads it. Throws InputError for another
// target.
ConstantBankLayout constant_bank_layout(std::string_view target);

}  // namespace tilecast::sass
