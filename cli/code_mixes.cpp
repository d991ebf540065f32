#include "cli/code_mixes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "kernels/sass/disassemble.hpp"
#include "kernels/sass/make_mix.hpp"
#include "kernels/sass/make_stream.hpp"
#include "kernels/sass/usual_block.hpp"
#include "kernels/simulation/l1_room.hpp"
#include "model/device/occupancy.hpp"
#include "model/sim/core_pace.hpp"
#include "model/support/errors.hpp"
#ifdef TILECAST_WITH_CUDA
#  include "kernels/simulation/listing_cache.hpp"
#endif

namespace tilecast {
namespace {

// Codes that one run of nvdisasm lists: beyond, its start is no longer felt.
constexpr std::size_t codes_a_run = 16;

#ifdef TILECAST_WITH_CUDA

std::vector<std::string> listings_of(std::span<const std::span<const char>> cubins) {
  return cached_listings(listing_folder(), cubins);
}

#else

std::vector<std::string> listings_of(std::span<const std::span<const char>> cubins) {
  return sass::disassemble_all(cubins);
}

#endif

// Counts are of the block in the middle of the grid: rarely one with padding or a remainder.
CodeMix read_mix(const MixTask& task, std::string_view listing) {
  const auto& plan = *task.plan;
  const auto program = sass::read_machine_code(listing, task.cubin, plan.code.entry);
  const sass::Executor executor(program, plan);
  auto mix = sass::make_mix(program, executor, {plan.grid_x / 2, plan.grid_y / 2, plan.grid_z / 2});
  const auto usual = sass::usual_block(program, executor, plan).at;
  auto stream = sass::make_stream(program, executor, usual, task.l1);
  stream.l1_lines = sass::lines_at_once(task.l1);
  mix.pace = {task.thread_fmas, sim::core_paces(stream, task.resident, task.in_l1_half),
              sim::core_waits(stream, task.in_l1_half)};
  return mix;
}

}  // namespace

CodeLaunch code_launch(const KernelFamily& family, const ConvShape& shape, const Config& config,
                       const DeviceProfile& device) {
  const auto kernel = family.describe(shape, config, device, nullptr);
  const auto threads = static_cast<double>(kernel.launch.blocks * kernel.launch.threads);
  return {family.plan(shape, config, device), kernel.fma_executed / threads};
}

MixTask mix_task(const CodeLaunch& of, std::span<const char> cubin, const CodeRecord& record,
                 const DeviceProfile& device) {
  const auto& plan = of.plan;
  const LaunchShape launch{
      .blocks = plan.grid_x * plan.grid_y * plan.grid_z,
      .threads = plan.threads,
      .cluster = plan.cluster_x,
      .registers = record.registers,
      .shared = Bytes{static_cast<double>(plan.dynamic_shared_bytes + record.static_shared_bytes)}};
  return {&plan,
          cubin,
          record.code_hash,
          of.thread_fmas,
          std::max<std::int64_t>(1, occupancy(launch, device).blocks_per_sm),
          l1_room(launch, device),
          sim::in_l1_half(launch.shared, device)};
}

std::vector<const CodeLaunch*> new_launches(std::vector<const CodeLaunch*> launches,
                                            const LaunchMixes* known) {
  LaunchMixes covered = known ? *known : LaunchMixes{};
  std::ranges::stable_sort(launches, std::ranges::greater{}, &CodeLaunch::thread_fmas);
  std::erase_if(launches, [&](const CodeLaunch* launch) {
    if (covered.covers(launch->thread_fmas)) return true;
    CodeMix mix;
    mix.pace.thread_fmas = launch->thread_fmas;
    covered.add(mix);
    return false;
  });
  return launches;
}

std::vector<std::string> add_mixes(CodeMixes& mixes, std::span<const MixTask> tasks, int jobs,
                                   const std::function<void(std::size_t done)>& progress) {
  sass::find_disassembler();
  std::atomic<std::size_t> next = 0;
  std::size_t done = 0;
  std::mutex mutex;
  std::vector<std::string> problems;
  const auto read = [&](const MixTask& task, const std::function<std::string()>& listing) {
    std::string problem;
    CodeMix mix;
    try {
      mix = read_mix(task, listing());
    } catch (const Error& error) {
      problem = fmt::format("{}: {}", task.plan->code.key(), error.what());
    }
    const std::lock_guard lock(mutex);
    if (problem.empty())
      mixes.add(task.code_hash, mix);
    else
      problems.push_back(std::move(problem));
    if (progress) progress(++done);
  };
  const auto work = [&] {
    for (;;) {
      const auto begin = std::min(next.fetch_add(codes_a_run), tasks.size());
      const auto some = tasks.subspan(begin, std::min(codes_a_run, tasks.size() - begin));
      if (some.empty()) return;
      std::vector<std::span<const char>> cubins;
      for (const auto& task : some)
        cubins.push_back(task.cubin);
      std::vector<std::string> listings;
      try {
        listings = listings_of(cubins);
      } catch (const Error&) {
        // One of them cannot be listed: it says so by itself.
      }
      for (std::size_t i = 0; i < some.size(); ++i) {
        read(some[i], [&] {
          return listings.empty() ? listings_of({&cubins[i], 1}).front() : std::move(listings[i]);
        });
      }
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < std::max(1, jobs); ++t)
    threads.emplace_back(work);
  for (auto& thread : threads)
    thread.join();
  std::ranges::sort(problems);
  return problems;
}

}  // namespace tilecast
