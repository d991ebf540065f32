#pragma once
// Layout of a launch's values in constant bank 0.

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

// For "sm_75" to "sm_121"; throws InputError for another target. The parameters' offset is in every cubin
// (EIATTR_PARAM_CBANK of .nv.info). The others are those at which code by the compiler (13.0) reads the stack
// pointer, blockDim, gridDim and %is_explicit_cluster, with which a barrier of the cluster begins;
// tests/architectures_test.cpp checks them for every architecture. The cluster's rank is a special register
// (SR_CgaCtaId); its size, at 0x188 on sm_90 and from sm_100 on where SR_CgaSize says, is read by no kernel
// here.
ConstantBankLayout constant_bank_layout(std::string_view target);

}  // namespace tilecast::sass
