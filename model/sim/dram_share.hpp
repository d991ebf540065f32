#pragma once
// What of a kernel's traffic reaches DRAM, and how fast DRAM takes its writes (EQUATIONS.md S13).

#include <optional>

#include "model/analytic/traffic.hpp"
#include "model/workload/kernel_description.hpp"

namespace tilecast::sim {

// The fraction of a working set of so many bytes that misses L2 when kernels walk it in the same order again
// and again.
double cyclic_miss(Bytes footprint, const analytic::Machine& machine, analytic::Caches caches);

// As analytic::traffic_of(), with cyclic_miss().
analytic::Traffic dram_traffic(const KernelDescription& kernel, const analytic::Machine& machine,
                               analytic::Caches caches);

// Bytes/s at which DRAM takes writes that fill pieces of so many bytes, `between` bytes of others being
// written before the next piece beside them.
Bandwidth dram_write_rate(const DeviceProfile& device, Bandwidth streaming, std::optional<double> piece,
                          double between);

}  // namespace tilecast::sim
