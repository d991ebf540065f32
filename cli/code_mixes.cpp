#include "cli/code_mixes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "kernels/sass/disassemble.hpp"
#include "kernels/sass/make_mix.hpp"
#include "model/support/errors.hpp"

namespace tilecast {
namespace {

// Of the block in the middle of the grid: rarely one with padding or a remainder.
CodeMix read_mix(const MixTask& task) {
  const auto program = sass::read_machine_code(task.cubin, task.plan->code.entry);
  const sass::Executor executor(program, *task.plan);
  return sass::make_mix(program, executor,
                        {task.plan->grid_x / 2, task.plan->grid_y / 2, task.plan->grid_z / 2});
}

}  // namespace

std::vector<std::string> add_mixes(CodeMixes& mixes, std::span<const MixTask> tasks, int jobs,
                                   const std::function<void(std::size_t done)>& progress) {
  sass::find_disassembler();
  std::atomic<std::size_t> next = 0;
  std::size_t done = 0;
  std::mutex mutex;
  std::vector<std::string> problems;
  const auto work = [&] {
    for (std::size_t i = next++; i < tasks.size(); i = next++) {
      std::string problem;
      CodeMix mix;
      try {
        mix = read_mix(tasks[i]);
      } catch (const Error& error) {
        problem = fmt::format("{}: {}", tasks[i].plan->code.key(), error.what());
      }
      const std::lock_guard lock(mutex);
      if (problem.empty())
        mixes.add(tasks[i].code_hash, mix);
      else
        problems.push_back(std::move(problem));
      if (progress) progress(++done);
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
