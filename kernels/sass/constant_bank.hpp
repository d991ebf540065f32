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
  std::optional<int> cluster;  // 1 where the launch has clusters; none: not known
};

// Of "sm_75" to "sm_121". The parameters' offset is in every cubin (EIATTR_PARAM_CBANK of .nv.info), the
// others were read from what the compiler makes of blockDim, gridDim and the kernel's first instruction.
// Throws InputError for another target.
ConstantBankLayout constant_bank_layout(std::string_view target);

}  // namespace tilecast::sass
