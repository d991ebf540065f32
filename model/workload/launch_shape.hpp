#pragma once
// What a kernel launches: all that occupancy and waves depend on.

#include <cstdint>

#include "model/units/quantity.hpp"

namespace tilecast {

struct LaunchShape {
  std::int64_t blocks = 1;
  std::int64_t threads = 32;   // a block
  std::int64_t cluster = 1;    // blocks
  std::int64_t registers = 0;  // a thread
  Bytes shared{};              // a block, static + dynamic
};

}  // namespace tilecast
