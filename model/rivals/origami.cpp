// Origami, the model behind tritonBLAS (AMD, 2025): latency of one tile, times the waves of tiles. After the
// description of the paper and its code (ROCm/rocm-libraries, shared/origami, MIT); one tile on an SM at a
// time.

#include <algorithm>
#include <cmath>

#include "model/rivals/inputs.hpp"
#include "model/rivals/rivals.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::rivals {

// R4
Prediction origami(const KernelDescription& kernel, const DeviceProfile& device) {
  resident_blocks(kernel, device);  // refuses what cannot run
  const auto rates = rates_of(device);
  const auto moved = moved_by(kernel);
  const auto blocks = static_cast<double>(kernel.launch.blocks);
  const double active = std::min(blocks, rates.sms);
  const double waves = std::ceil(blocks / rates.sms);
  const double hit_rate = moved.read_requested > Bytes{}
                              ? std::clamp(1 - moved.read_unique / moved.read_requested, 0.0, 1.0)
                              : 0.0;
  const Seconds latency = device.dram_latency.get() / rates.clock;

  Seconds compute{}, memory{}, store{}, tile{};  // of one tile
  for (const auto& p : kernel.phases) {
    const Seconds fma{p.warp.ffma * p.active_warps * threads_per_warp / rates.lanes / rates.clock.value()};
    const Bytes fetched = active * p.fetched;
    Seconds load{};
    if (fetched > Bytes{})
      load = std::max(fetched / device.l2_read.get(), (1 - hit_rate) * fetched / rates.dram + latency);
    compute += p.trips * fma;
    memory += p.trips * load;
    store += p.trips * active * p.stored / rates.dram;
    // The first load has nothing to hide behind, the last computation no load to hide.
    if (p.role == PhaseRole::steady && p.trips >= 1) {
      tile += load + (p.trips - 1) * std::max(fma, load) + fma;
    } else {
      tile += p.trips * std::max(fma, load);
    }
  }
  tile += store;
  return prediction_of(
      waves * tile,
      {{"compute", "R4", waves * compute}, {"memory", "R4", waves * memory}, {"store", "R4", waves * store}});
}

}  // namespace tilecast::rivals
