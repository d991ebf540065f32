#pragma once
// What the paper needs to know of a GPU (its Table 1).

#include <cstdint>

#include "model/device/device_profile.hpp"
#include "model/paper/quirks.hpp"

namespace tilecast::paper {

struct DeviceConstants {
  std::int64_t sm_count = 0;      // N_sm
  std::int64_t cores_per_sm = 0;  // N_cores
  Bytes shared_per_sm{};          // S_shared
  Cycles latency{};               // of global memory
  BytesPerCycle transfer_rate{};  // whole device, rounded to a whole byte as the paper does
  Bytes data_requirement{};       // transfer rate x latency
  std::int64_t words = 0;         // the same in 4-byte words, rounded up
  std::int64_t warps_per_sm = 0;  // that fetch one word a thread
  std::int64_t threads_per_sm = 0;
  Bytes bytes_per_sm{};  // V_s / N_sm
  Bytes v_s{};           // the smallest volume in flight that keeps global memory busy
  double n_fma = 0;      // "FMA operations" that hide one latency on one SM
  std::int64_t registers_per_thread = 0;
  bool clusters = false;  // thread blocks reach each other's shared memory
};

// EQUATIONS.md P1, P2. Reads sm_count, fp32_lanes_per_sm, shared_per_sm, registers_per_sm, dram_latency,
// dram_peak (dram_read where absent) and base_clock (sm_clock, then boost_clock where absent; the paper takes
// the base clock). Throws UnavailableError where the profile lacks one of them.
DeviceConstants device_constants(const DeviceProfile& device, const Quirks& quirks = {});

}  // namespace tilecast::paper
