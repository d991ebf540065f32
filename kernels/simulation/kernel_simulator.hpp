#pragma once
// From family, shape and config to simulated time, for one kernel or thousands, without a GPU: compiles
// (NVRTC), disassembles (nvdisasm), executes one block on paper and simulates the SM. Compiled code and
// listings are cached on disk (cache_folder()) and programs in memory, so that configs with the same
// specialisation share them.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/family.hpp"
#include "model/sim/sim.hpp"

namespace tilecast {

struct SimulationJob {
  const KernelFamily* family = nullptr;
  ConvShape shape;
  Config config;
};

struct SimulationOutcome {
  std::optional<sim::Simulation> simulation;
  std::string problem;  // why there is no simulation
};

class KernelSimulator {
 public:
  // Throws UnavailableError where this tilecast was built without the CUDA toolkit's headers. The profile
  // must outlive it.
  explicit KernelSimulator(const DeviceProfile& device);
  ~KernelSimulator();
  KernelSimulator(KernelSimulator&&) noexcept;

  // May be called from several threads. Throws InputError for a config that is not feasible or machine code
  // that the simulator does not model, UnavailableError without NVRTC or nvdisasm (only where the cache lacks
  // the code), and what describe(), the executor and the simulator throw.
  sim::Simulation simulate(const SimulationJob& job, const sim::Options& options = {}) const;

  // The instructions of usual_block(), and the kernel's description with registers and shared memory from the
  // compiler. Throws as simulate().
  InstructionStream stream(const SimulationJob& job) const;
  KernelDescription description(const SimulationJob& job) const;

  // simulate() for each job, results in their order, on `threads` threads (0: as many as the machine has). A
  // job that throws yields its message instead, except for UnavailableError, which every job would throw.
  // After each job, one thread at a time calls `progress` with the number done.
  std::vector<SimulationOutcome> simulate_all(std::span<const SimulationJob> jobs, unsigned threads = 0,
                                              const sim::Options& options = {},
                                              const std::function<void(std::size_t)>& progress = {}) const;

 private:
  struct Code;
  struct State;
  std::shared_ptr<const Code> code_of(const LaunchPlan& plan) const;
  LaunchPlan plan_of(const SimulationJob& job) const;
  std::unique_ptr<State> state_;
};

}  // namespace tilecast
