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
#  include "kernels/sass/launch_constants.hpp"
#  include "kernels/sass/make_stream.hpp"
#  include "kernels/sass/usual_block.hpp"
#  include "kernels/simulation/l1_room.hpp"
#  include "kernels/simulation/listing_cache.hpp"
#endif
#include "kernels/sass/program.hpp"
#include "model/analytic/l1_sharing.hpp"

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
  // LRU cache by Specialisation::key(), the most recently used first; a program takes a few megabytes.
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

constexpr double nearly_as_much = 0.95;

struct Edge {
  sass::BlockIndex at;
  std::int64_t rows, row_blocks;
};

// S9. Edge blocks that clearly have less to do than `usual`: the one below it in the grid's last row or,
// where x counts tiles of two axes, those of the last tile along each axis. Reading one costs as much as
// reading `usual`, so only clear cases count.
std::vector<Edge> edges_of(const sass::Program& program, const sass::Executor& executor,
                           const LaunchPlan& plan, const sass::ReadBlock& usual) {
  std::vector<Edge> candidates;
  const auto cluster = std::max<std::int64_t>(1, plan.cluster_x);
  if (plan.tiles_in_row > 0) {
    const auto in_row = plan.tiles_in_row, rows = plan.grid_x / cluster / in_row;
    const auto tile = usual.at.x / cluster, part = usual.at.x % cluster;
    auto edge = usual.at;
    if (rows > 1 && tile / in_row != rows - 1) {
      edge.x = ((rows - 1) * in_row + tile % in_row) * cluster + part;
      candidates.push_back({edge, rows, in_row * cluster});
    }
    if (in_row > 1 && tile % in_row != in_row - 1) {
      edge.x = (tile / in_row * in_row + in_row - 1) * cluster + part;
      candidates.push_back({edge, in_row, cluster});
    }
  } else if (cluster == 1 && usual.at.y != plan.grid_y - 1) {
    auto edge = usual.at;
    edge.y = plan.grid_y - 1;
    candidates.push_back({edge, plan.grid_y, plan.grid_x});
  }
  if (candidates.empty()) return candidates;
  // In instructions: L2 takes 8 cycles of an SM for a store, the schedulers issue 4 instructions a cycle.
  const double store = plan.tiles_in_row > 0 ? 32 : 1;
  const double work =
      usual.work && store == 1 ? *usual.work : sass::work_of_last_warp(program, executor, usual.at, store);
  std::erase_if(candidates, [&](const Edge& edge) {
    return sass::work_of_last_warp(program, executor, edge.at, store) > nearly_as_much * work;
  });
  return candidates;
}

// S4. Where an instruction's first sector is the same in the SM's next block, only one of its blocks asks for
// the lines. A21: other blocks of the SM have loaded the share `found` of each tensor.
void share_lines(InstructionStream& stream, const sass::Program& program, const sass::Executor& executor,
                 const LaunchPlan& plan, sass::BlockIndex at, double resident, std::int64_t sms,
                 const std::vector<double>& found) {
  const auto linear = at.x + plan.grid_x * (at.y + plan.grid_y * at.z);
  const auto own = sass::first_loads(program, executor, at);
  for (std::size_t i = 0; i < own.size() && !found.empty(); ++i) {
    auto& op = stream.ops[i];
    if (own[i] == 0 || op.past_l1 || op.local) continue;
    op.l1_hit += (1 - op.l1_hit) * found.at(sass::tensor_of_sector(own[i]));
  }
  const auto next = linear + sms < plan.grid_x * plan.grid_y * plan.grid_z ? linear + sms : linear - sms;
  if (next < 0) return;
  const auto others = sass::first_loads(
      program, executor,
      {next % plan.grid_x, next / plan.grid_x % plan.grid_y, next / plan.grid_x / plan.grid_y});
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (own[i] != 0 && own[i] == others[i]) stream.ops[i].l1_new_lines /= resident;
  }
}

}  // namespace

KernelSimulator::KernelSimulator(const DeviceProfile& device) : state_(std::make_unique<State>(device)) {}

// Two threads that need the same new code both make it, with the same result.
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
  const auto kernel = job.family->describe(job.shape, job.config, state_->device, &code->record);
  const auto l1 = l1_room(kernel.launch, state_->device);
  const auto usual = sass::usual_block(code->program, executor, plan);
  auto stream = sass::make_stream(code->program, executor, usual.at, l1);
  stream.l1_lines = sass::lines_at_once(l1);
  const auto found = analytic::found_of_others(kernel, state_->device);
  if (l1.blocks > 1 || !found.empty())
    share_lines(stream, code->program, executor, plan, usual.at, l1.blocks, state_->device.sm_count.get(),
                found);
  for (const auto& edge : edges_of(code->program, executor, plan, usual))
    add_edge(stream, sass::make_stream(code->program, executor, edge.at, l1), edge.rows, edge.row_blocks);
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

std::vector<SimulationOutcome> KernelSimulator::simulate_all(
    std::span<const SimulationJob> jobs, unsigned threads, const sim::Options& options,
    const std::function<void(std::size_t)>& progress) const {
  std::vector<SimulationOutcome> outcomes(jobs.size());
  std::atomic<std::size_t> next{0};
  std::exception_ptr unavailable;
  std::size_t done = 0;
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
      const std::lock_guard guard(lock);
      if (progress && !unavailable) progress(++done);
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
