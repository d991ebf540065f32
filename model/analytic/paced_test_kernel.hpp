#pragma once
// A kernel whose paces were seen (A20) on a device of round numbers, for tests.

#include <vector>

#include "model/analytic/analytic_test_device.hpp"
#include "model/analytic/code_wave.hpp"
#include "model/analytic/waves.hpp"

namespace tilecast::analytic::paced {

inline const auto device = round_device();
inline const auto machine = machine_of(device);  // one cycle is one nanosecond, four schedulers

inline const std::vector<CorePace> paces{{1, 1000, 1000, 0}, {4, 2200, 2000, 300}};

// Four warps a block: 400 cycles of their scheduler and 100 each of the SM's pipe, alone 900.
inline KernelDescription kernel() {
  auto k = round_kernel(100, 1);
  k.launch.threads = 128;
  k.phases[0].active_warps = 4;
  k.phases[0].code = CodeSegments{{}, {.issued = 400, .pipe_cycles = 100, .chain_cycles = 900}};
  k.core_paces = paces;
  return k;
}

inline Wave of(double blocks) {
  return {.count = 1, .blocks_per_sm = blocks, .active_sms = 10, .blocks = 10 * blocks};
}

// Four blocks an SM, on a scheduler each, of 1 us.
inline CodeWave four_blocks() {
  CodeWave wave;
  wave.blocks_per_sm = 4;
  wave.on_scheduler = 1;
  wave.all.chain = Seconds{1e-6};
  return wave;
}

}  // namespace tilecast::analytic::paced
