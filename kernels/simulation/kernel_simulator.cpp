#include "kernels/simulation/kernel_simulator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <list>
#include <mutex>
#include <thread>
#include <unordered_map>

#ifdef TILECAST_WITH_CUDA
#  include <cmath>

#  include "kernels/runtime/compile.hpp"
#  include "kernels/sass/disassemble.hpp"
#  include "kernels/sass/followed_loops.hpp"
#  include "kernels/sass/make_stream.hpp"
#  include "kernels/simulation/listing_cache.hpp"
#endif
#include "kernels/sass/program.hpp"
#include "model/analytic/machine.hpp"
#include "model/device/occupancy.hpp"

namespace tilecast {

// What all configs of a specialisation share.
struct KernelSimulator::Code {
  sass::Program program;
  CodeRecord record;
};

struct KernelSimulator::State {
  explicit State(const DeviceProfile& d) : device(d) {}
  const DeviceProfile& device;
  std::mutex lock;
  // By Specialisation::key(), the most recently used first; a program takes a few megabytes.
  static constexpr std::size_t most_programs = 64;
  using Entry = std::pair<std::string, std::shared_ptr<const Code>>;
  std::list<Entry> recent;
  std::unordered_map<std::string, std::list<Entry>::iterator> by_key;
};

KernelSimulator::~KernelSimulator() = default;
KernelSimulator::KernelSimulator(KernelSimulator&&) noexcept = default;

#ifdef TILECAST_WITH_CUDA

namespace {

sass::Program program_of(const CompiledCode& compiled, std::string_view entry) {
  const std::span<const char> cubin(compiled.cubin);
  return sass::read_machine_code(cached_listings(listing_folder(), {&cubin, 1}).front(), cubin, entry);
}

// Instructions of the block's last warp, by threads that execute them.
double work_of_last_warp(const sass::Executor& executor, const sass::BlockIndex& block) {
  sass::Counts counts;
  sass::FollowedLoops loops;
  executor.run_warp(block, executor.warps_per_block() - 1, counts, {.loops = &loops, .costs = false});
  double threads = 0;
  for (const auto& count : counts.instructions)
    threads += count.threads;
  return threads;
}

struct ReadBlock {
  sass::BlockIndex at;
  std::optional<double> work;  // of its last warp, where it was asked for
};

// Of the block in the middle and the one behind it that whose last warp has more to do: one of them may be a
// remainder, where an axis of the grid counts tiles of two axes, or be spared what the other has to do, as
// where all its pixels are of one image. Of a cluster its last block: where a reduction does not divide
// evenly, the last part has a step more than others (first_step() in gemm_tile), and the cluster waits for
// its slowest.
ReadBlock usual_block(const sass::Executor& executor, const LaunchPlan& plan) {
  const auto cluster = std::max<std::int64_t>(1, plan.cluster_x);
  const auto clusters = plan.grid_x / cluster;
  const sass::BlockIndex first{(clusters - 1) / 2 * cluster + cluster - 1, (plan.grid_y - 1) / 2,
                               (plan.grid_z - 1) / 2};
  auto second = first;
  if (clusters > 1) {
    second.x += cluster;
  } else if (plan.grid_y > 1) {
    ++second.y;
  } else {
    return {first, std::nullopt};
  }
  const ReadBlock one{first, work_of_last_warp(executor, first)};
  const ReadBlock other{second, work_of_last_warp(executor, second)};
  return *other.work > *one.work ? other : one;
}

// S9. Of the last row of blocks, that below `usual`, where it has clearly less to do: reading it takes as
// long as reading that one, most where long loops leave little else.
std::optional<sass::BlockIndex> edge_block(const sass::Executor& executor, const LaunchPlan& plan,
                                           const ReadBlock& usual) {
  auto edge = usual.at;
  edge.y = plan.grid_y - 1;
  if (plan.cluster_x > 1 || edge.y == usual.at.y) return std::nullopt;
  const double work = usual.work ? *usual.work : work_of_last_warp(executor, usual.at);
  constexpr double nearly_as_much = 0.95;
  if (work_of_last_warp(executor, edge) > nearly_as_much * work) return std::nullopt;
  return edge;
}

// S15. Of their common store, 28 KB more than shared memory can take (cc 8.x and 9.0: CUDA C++ Programming
// Guide, technical specifications), L1 has what shared memory leaves. Kernels with shared memory are launched
// with as much of it as there can be (prepare_shared_memory), whatever their blocks take. The blocks of an SM
// have equal parts.
double l1_bytes_of_block(const LaunchShape& launch, const DeviceProfile& device) {
  constexpr double beyond_shared = analytic::l1_beside_shared.value();
  const double resident = std::max<double>(
      1, std::min<double>(
             static_cast<double>(occupancy(launch, device).blocks_per_sm),
             std::ceil(static_cast<double>(launch.blocks) / static_cast<double>(device.sm_count.get()))));
  if (launch.shared.value() > 0) return beyond_shared / resident;
  const double taken = resident * device.shared_reserved_per_block.value_or(Bytes{}).value();
  return (device.shared_per_sm.get().value() + beyond_shared - taken) / resident;
}

}  // namespace

KernelSimulator::KernelSimulator(const DeviceProfile& device) : state_(std::make_unique<State>(device)) {}

// Two threads that want the same new code both make it: the result is the same.
std::shared_ptr<const KernelSimulator::Code> KernelSimulator::code_of(const LaunchPlan& plan) const {
  auto& s = *state_;
  const auto key = plan.code.key();
  {
    const std::lock_guard guard(s.lock);
    if (const auto found = s.by_key.find(key); found != s.by_key.end()) {
      s.recent.splice(s.recent.begin(), s.recent, found->second);
      return found->second->second;
    }
  }
  const Architecture target{s.device.compute_capability_major, s.device.compute_capability_minor};
  const auto compiled = compile(plan.code, kernel_sources(), target);
  auto code = std::make_shared<const Code>(Code{program_of(compiled, plan.code.entry), compiled.record});
  const std::lock_guard guard(s.lock);
  if (s.by_key.contains(key)) return code;
  s.recent.emplace_front(key, code);
  s.by_key.emplace(key, s.recent.begin());
  if (s.recent.size() > State::most_programs) {
    s.by_key.erase(s.recent.back().first);
    s.recent.pop_back();
  }
  return code;
}

LaunchPlan KernelSimulator::plan_of(const SimulationJob& job) const {
  const auto& family = *job.family;
  if (const auto refusal = family.supports(job.shape))
    throw InputError(fmt::format("{}: {}", family.name, refusal->reason));
  if (const auto refusal = family.feasible(job.shape, job.config, state_->device))
    throw InputError(fmt::format("{}: {}", family.name, refusal->reason));
  return family.plan(job.shape, job.config, state_->device);
}

InstructionStream KernelSimulator::stream(const SimulationJob& job) const {
  const auto plan = plan_of(job);
  const auto code = code_of(plan);
  const sass::Executor executor(code->program, plan);
  const auto launch = job.family->describe(job.shape, job.config, state_->device, &code->record).launch;
  const auto l1_bytes = l1_bytes_of_block(launch, state_->device);
  const auto usual = usual_block(executor, plan);
  auto stream = sass::make_stream(code->program, executor, usual.at, l1_bytes);
  if (const auto edge = edge_block(executor, plan, usual))
    add_edge(stream, sass::make_stream(code->program, executor, *edge, l1_bytes), plan.grid_y, plan.grid_x);
  return stream;
}

KernelDescription KernelSimulator::description(const SimulationJob& job) const {
  const auto code = code_of(plan_of(job));
  return job.family->describe(job.shape, job.config, state_->device, &code->record);
}

#else

KernelSimulator::KernelSimulator(const DeviceProfile&) {
  throw UnavailableError("the simulator: this tilecast was built without the CUDA toolkit's headers",
                         "install the CUDA toolkit 12 or later and build again");
}

// Never called: there is no KernelSimulator.
InstructionStream KernelSimulator::stream(const SimulationJob&) const {
  return {};
}
KernelDescription KernelSimulator::description(const SimulationJob&) const {
  return {};
}

#endif

sim::Simulation KernelSimulator::simulate(const SimulationJob& job, const sim::Options& options) const {
  return sim::simulate(description(job), stream(job), state_->device, options);
}

std::vector<SimulationOutcome> KernelSimulator::simulate_all(std::span<const SimulationJob> jobs,
                                                             unsigned threads,
                                                             const sim::Options& options) const {
  std::vector<SimulationOutcome> outcomes(jobs.size());
  std::atomic<std::size_t> next{0};
  std::exception_ptr unavailable;
  std::mutex lock;
  const auto work = [&] {
    for (std::size_t i = next++; i < jobs.size(); i = next++) {
      try {
        outcomes[i].simulation = simulate(jobs[i], options);
      } catch (const UnavailableError&) {
        const std::lock_guard guard(lock);
        unavailable = std::current_exception();
        next = jobs.size();
      } catch (const std::exception& error) {
        outcomes[i].problem = error.what();
      }
    }
  };
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::jthread> pool;
  for (std::size_t i = 1; i < std::min<std::size_t>(threads, jobs.size()); ++i)
    pool.emplace_back(work);
  work();
  pool.clear();  // joins
  if (unavailable) std::rethrow_exception(unavailable);
  return outcomes;
}

}  // namespace tilecast
