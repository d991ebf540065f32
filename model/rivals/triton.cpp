// Triton's estimate_matmul_time (python/triton/ops/matmul_perf_model.py, MIT), which its autotuner prunes
// configs with: max(compute, load) + store. Its constants are kept, but for A100's 108 SMs, which become the
// device's.

#include <algorithm>

#include "model/rivals/inputs.hpp"
#include "model/rivals/rivals.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::rivals {

// R3
Prediction triton(const KernelDescription& kernel, const DeviceProfile& device) {
  constexpr double sub_cores_per_sm = 4, saturating_blocks = 32, first_share = 0.95;
  constexpr double l2_over_dram = 4, hits_of_later_loads = 0.8, store_over_load = 0.6;
  const auto rates = rates_of(device);
  const auto moved = moved_by(kernel);
  const auto blocks = static_cast<double>(kernel.launch.blocks);
  const double warps = static_cast<double>(kernel.launch.threads) / threads_per_warp;

  const double sub_cores = sub_cores_per_sm * rates.sms;
  const double busy = std::min(sub_cores, blocks * std::min(sub_cores_per_sm, warps)) / sub_cores;
  const Seconds compute{kernel.fma_executed / (busy * rates.fmas_per_second())};

  // 32 blocks reach 95 % of the bandwidth, one on every SM all of it.
  const double first = std::min(1.0, blocks / saturating_blocks);
  const double more = rates.sms - saturating_blocks;
  const double rest = more > 0 ? std::clamp((blocks - saturating_blocks) / more, 0.0, 1.0) : 0.0;
  const Bandwidth dram = (first_share * first + (1 - first_share) * rest) * rates.dram;
  const Bandwidth l2 = l2_over_dram * dram;
  const Bytes later = std::max(Bytes{}, moved.read_requested - moved.read_unique);
  const Seconds load =
      (moved.read_unique + (1 - hits_of_later_loads) * later) / dram + hits_of_later_loads * later / l2;
  const Seconds store = moved.written_requested / (store_over_load * dram);
  return prediction_of(std::max(compute, load) + store,
                       {{"compute", "R3", compute}, {"load", "R3", load}, {"store", "R3", store}});
}

}  // namespace tilecast::rivals
