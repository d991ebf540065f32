#include "kernels/sass/execute.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/sass/launch_constants.hpp"
#include "kernels/sass/shared_words.hpp"
#include "kernels/sass/slice.hpp"
#include "kernels/sass/warp_run.hpp"
#include "model/support/errors.hpp"

namespace tilecast::sass {

InstructionCount& InstructionCount::operator+=(const InstructionCount& other) {
  executed += other.executed;
  with_lanes += other.with_lanes;
  threads += other.threads;
  wavefronts += other.wavefronts;
  written += other.written;
  by_line += other.by_line;
  sectors += other.sectors;
  masks += other.masks;
  joined_packets += other.joined_packets;
  lone_sectors += other.lone_sectors;
  lines += other.lines;
  unknown_addresses += other.unknown_addresses;
  cluster += other.cluster;
  cluster_own += other.cluster_own;
  if (other.barrier) barrier = other.barrier;
  return *this;
}

Counts& Counts::operator+=(const Counts& other) {
  instructions.resize(std::max(instructions.size(), other.instructions.size()));
  for (std::size_t i = 0; i < other.instructions.size(); ++i)
    instructions[i] += other.instructions[i];
  warps += other.warps;
  return *this;
}

Counts& Counts::operator*=(double factor) {
  for (auto& count : instructions) {
    count.executed *= factor;
    count.with_lanes *= factor;
    count.threads *= factor;
    count.wavefronts *= factor;
    count.written *= factor;
    count.by_line *= factor;
    count.sectors *= factor;
    count.masks *= factor;
    count.joined_packets *= factor;
    count.lone_sectors *= factor;
    count.lines *= factor;
    count.unknown_addresses *= factor;
    count.cluster *= factor;
    count.cluster_own *= factor;
  }
  warps *= factor;
  return *this;
}

struct Executor::Prepared : PreparedProgram {};

Executor::Executor(const Program& program, const LaunchPlan& plan) : prepared_(std::make_unique<Prepared>()) {
  if (plan.threads < 1 || plan.threads > 1024)
    throw InputError(fmt::format("{}: {} threads, expected 1 to 1024", program.entry, plan.threads));
  prepared_->program = &program;
  prepared_->threads = plan.threads;
  prepared_->cluster = plan.cluster_x;
  const auto banks = launch_constants(program, plan);
  for (int i = 0; i < static_cast<int>(program.instructions.size()); ++i) {
    auto& op = prepared_->ops.emplace_back(make_micro_op(program, i, banks));
    if (std::ranges::any_of(op.code->sources, [](const Operand& o) { return o.kind == OperandKind::memory; }))
      op.access = prepared_->accesses++;
  }
  prepared_->slice = slice_of(program, prepared_->ops);
  for (const auto& block : program.blocks) {
    auto& steps = prepared_->blocks.emplace_back().steps;
    for (int i = block.first; i < block.last; ++i) {
      if (!prepared_->slice.needed[static_cast<std::size_t>(i)]) continue;
      const auto& op = prepared_->ops[static_cast<std::size_t>(i)];
      const bool plain = !op.guarded && !op.matters && op.flow == Flow::none;
      steps.push_back({i, plain});
    }
  }
}

Executor::~Executor() = default;
Executor::Executor(Executor&&) noexcept = default;

int Executor::warps_per_block() const {
  return static_cast<int>((prepared_->threads + warp_lanes - 1) / warp_lanes);
}

void Executor::run_warp(BlockIndex block, int warp, Counts& counts, const WarpNotes& notes) const {
  const Program& program = *prepared_->program;
  RunCounts run{.block_visits = std::vector<double>(program.blocks.size()),
                .block_threads = std::vector<double>(program.blocks.size()),
                .steps = std::vector<InstructionCount>(program.instructions.size())};
  run.stored = notes.stored;
  run.loads = notes.loads;
  run.loops = notes.loops;
  run.costs = notes.costs;
  if (prepared_->slice.has_tables) run.words = notes.words;
  sass::run_warp(*prepared_, block, warp, run, notes.path);
  counts.instructions.resize(program.instructions.size());
  counts.warps += 1;
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    for (int i = program.blocks[b].first; i < program.blocks[b].last; ++i) {
      const auto at = static_cast<std::size_t>(i);
      auto count = run.steps[at];
      count.executed = run.block_visits[b];
      if (!prepared_->ops[at].guarded) {
        count.with_lanes = run.block_visits[b];
        count.threads = run.block_threads[b];
      }
      counts.instructions[at] += count;
    }
  }
}

Counts execute_block(const Executor& executor, BlockIndex block) {
  Counts counts;
  SharedWords words;
  for (int warp = 0; warp < executor.warps_per_block(); ++warp)
    executor.run_warp(block, warp, counts, {.words = &words});
  return counts;
}

InstructionCount of_class(const Program& program, const Counts& counts, OpClass op_class) {
  InstructionCount total;
  for (std::size_t i = 0; i < counts.instructions.size(); ++i) {
    if (program.instructions[i].op_class == op_class) total += counts.instructions[i];
  }
  return total;
}

}  // namespace tilecast::sass
