// S. Hong, H. Kim, "An analytical model for a GPU architecture with memory-level and thread-level parallelism
// awareness", ISCA 2009: memory and computation warp parallelism. The paper's names stand in the comments.

#include <algorithm>
#include <cmath>

#include "model/rivals/inputs.hpp"
#include "model/rivals/rivals.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::rivals {
namespace {

// Of one warp, averaged over the warps of a block.
struct WarpWork {
  double instructions = 0;         // #Total_insts
  double memory_instructions = 0;  // #Mem_insts: of global memory; shared memory counts as computation
  double sectors = 0;
  double barriers = 0;  // #Synch_insts
};

WarpWork work_of(const KernelDescription& kernel) {
  const double warps = std::ceil(static_cast<double>(kernel.launch.threads) / threads_per_warp);
  WarpWork work;
  for (const auto& p : kernel.phases) {
    const double share = p.trips * p.active_warps / warps;
    for (const auto* access : {&p.warp.global_load, &p.warp.global_store, &p.warp.async_copy}) {
      work.memory_instructions += share * access->instructions();
      work.sectors += share * access->sectors;
    }
    work.instructions += share * p.warp.instructions();
    work.barriers += share * p.warp.barriers;
  }
  return work;
}

}  // namespace

// R2
Prediction hong_kim(const KernelDescription& kernel, const DeviceProfile& device) {
  const auto rates = rates_of(device);
  const auto work = work_of(kernel);
  const auto blocks = static_cast<double>(kernel.launch.blocks);
  const double active_sms = std::min(rates.sms, blocks);  // #Active_SMs
  const double resident = std::min(resident_blocks(kernel, device), std::ceil(blocks / active_sms));
  const double warps = std::ceil(static_cast<double>(kernel.launch.threads) / threads_per_warp);
  const double n = resident * warps;                                           // N
  const double repetitions = std::max(1.0, blocks / (resident * active_sms));  // #Rep
  const double issue_cycles = threads_per_warp / rates.lanes;                  // #Issue_cycles
  const double computation = issue_cycles * work.instructions;                 // Comp_cycles
  const double latency = device.dram_latency.get().value();                    // Mem_L

  if (work.memory_instructions == 0) {
    const Seconds time{n * computation * repetitions / rates.clock.value()};
    return prediction_of(time, {{"computation", "R2", time}});
  }
  const double bytes_per_warp =
      sector_bytes * work.sectors / work.memory_instructions;  // Load_bytes_per_warp
  // Departure_delay: the interval at which an SM's accesses leave for L2.
  const double departure = bytes_per_warp * rates.sms * rates.clock.value() / device.l2_read.get().value();
  const double bandwidth_of_warp = rates.clock.value() * bytes_per_warp / latency;  // BW_per_warp
  const double mwp =
      std::min({latency / departure, rates.dram.value() / (bandwidth_of_warp * active_sms), n});
  const double memory = latency * work.memory_instructions;  // Mem_cycles
  const double cwp = std::min((memory + computation) / computation, n);
  const double period = computation / work.memory_instructions;  // computation between two accesses

  double cycles = 0;
  if (mwp == n && cwp == n) {
    cycles = memory + computation + period * (mwp - 1);
  } else if (cwp >= mwp || computation > memory) {
    cycles = memory * n / mwp + period * (mwp - 1);
  } else {
    cycles = latency + computation * n;
  }
  const double barriers = departure * std::max(0.0, mwp - 1) * work.barriers * resident;
  const auto seconds = [&](double c) { return Seconds{c * repetitions / rates.clock.value()}; };
  return prediction_of(seconds(cycles + barriers), {{"computation", "R2", seconds(computation * n)},
                                                    {"memory", "R2", seconds(memory * n / mwp)},
                                                    {"barrier", "R2", seconds(barriers)}});
}

}  // namespace tilecast::rivals
