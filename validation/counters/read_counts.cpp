#include "validation/counters/read_counts.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "kernels/sass/stream_kind.hpp"

namespace tilecast {
namespace {

using sass::InstructionCount;
using sass::OpClass;

struct Quantity {
  std::string_view name, counter;
};

constexpr std::array quantities{
    Quantity{"instructions", "smsp__inst_executed.sum"},
    Quantity{"instructions of threads", "smsp__thread_inst_executed_pred_on.sum"},
    Quantity{"multiply-adds of threads", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"},
    Quantity{"additions of threads", "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"},
    Quantity{"instructions of the multiply-add pipes", "smsp__inst_executed_pipe_fma.sum"},
    Quantity{"instructions of the integer pipe", "smsp__inst_executed_pipe_alu.sum"},
    Quantity{"instructions of the uniform pipe", "smsp__inst_executed_pipe_uniform.sum"},
    Quantity{"instructions of the memory pipe", "smsp__inst_executed_pipe_lsu.sum"},
    Quantity{"conversions and special functions", "smsp__inst_executed_pipe_xu.sum"},
    Quantity{"branches", "smsp__inst_executed_op_branch.sum"},
    Quantity{"shared loads", "smsp__sass_inst_executed_op_shared_ld.sum"},
    Quantity{"shared stores", "smsp__sass_inst_executed_op_shared_st.sum"},
    Quantity{"global loads", "smsp__sass_inst_executed_op_global_ld.sum"},
    Quantity{"global stores", "smsp__sass_inst_executed_op_global_st.sum"},
    Quantity{"asynchronous copies", "smsp__sass_inst_executed_op_ldgsts.sum"},
    Quantity{"global stores issued", "smsp__inst_executed_op_global_st.sum"},
    Quantity{"asynchronous copies issued", "smsp__inst_executed_op_ldgsts.sum"},
    Quantity{"wavefronts of shared loads", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
    Quantity{"wavefronts of shared stores", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
    Quantity{"wavefronts of asynchronous copies",
             "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum"},
    Quantity{"sectors of loads and copies", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    Quantity{"sectors of stores", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
};

// Warp instructions by where the profiler counts them.
struct Pipes {
  double multiply_add = 0, integer = 0, uniform = 0, memory = 0, special = 0, branches = 0;
};

bool reads_thread(const sass::Instruction& instruction) {
  return instruction.opcode == "S2R" && std::ranges::any_of(instruction.sources, [](const auto& source) {
           return source.name.starts_with("SR_TID");
         });
}

Pipes pipes_of(const sass::Program& program, const sass::Counts& counts) {
  using Kind = StreamOpKind;
  Pipes pipes;
  for (std::size_t i = 0; i < counts.instructions.size(); ++i) {
    const double executed = counts.instructions[i].executed;
    if (executed <= 0) continue;
    const auto& instruction = program.instructions[i];
    const auto& opcode = instruction.opcode;
    if (opcode == "BRA" || opcode == "EXIT" || opcode == "BSYNC" || opcode == "WARPSYNC")
      pipes.branches += executed;
    // The simulator takes no pipe for these (S2), or another; by the counters they are here.
    if (opcode == "CS2R" || opcode == "R2UR" || opcode == "PLOP3") {
      pipes.integer += executed;
      continue;
    }
    if (opcode == "FLO") {
      pipes.special += executed;
      continue;
    }
    if (opcode == "MEMBAR" || opcode == "CCTL" || reads_thread(instruction)) {
      pipes.memory += executed;
      continue;
    }
    switch (stream_kind(program, instruction, counts.instructions[i])) {
      case Kind::fp32:
      case Kind::integer_mad:
      case Kind::integer_wide:
        pipes.multiply_add += executed;
        break;
      case Kind::integer:
        pipes.integer += executed;
        break;
      case Kind::uniform:
        if (opcode != "UMOV" && opcode != "VOTEU") pipes.uniform += executed;
        break;
      case Kind::conversion:
      case Kind::mufu:
        pipes.special += executed;
        break;
      case Kind::shared_load:
      case Kind::shared_store:
      case Kind::global_load:
      case Kind::global_store:
      case Kind::async_copy:
      case Kind::cluster_load:
      case Kind::commit_group:
        pipes.memory += executed;
        break;
      default:
        break;
    }
  }
  return pipes;
}

// In the order of `quantities`.
std::array<double, quantities.size()> values(const sass::Program& program, const sass::Counts& counts) {
  InstructionCount all, fadd, in_cluster;
  double own_wavefronts = 0;
  for (std::size_t i = 0; i < counts.instructions.size(); ++i) {
    const auto& count = counts.instructions[i];
    all += count;
    if (program.instructions[i].opcode == "FADD") fadd += count;
    if (count.cluster <= 0) continue;
    in_cluster += count;
    own_wavefronts += count.wavefronts * count.cluster_own / count.cluster;
  }
  const auto of = [&](OpClass op_class) { return of_class(program, counts, op_class); };
  const auto shared_load = of(OpClass::shared_load), shared_store = of(OpClass::shared_store),
             global_load = of(OpClass::global_load), global_store = of(OpClass::global_store),
             async_copy = of(OpClass::async_copy);
  const auto pipes = pipes_of(program, counts);
  // The counters of memory instructions leave out those that no thread runs. Loads of a cluster's shared
  // memory count as shared where they find the own block's, and else nowhere.
  return {
      all.executed,
      all.threads,
      of(OpClass::ffma).threads,
      fadd.threads,
      pipes.multiply_add,
      pipes.integer,
      pipes.uniform,
      pipes.memory,
      pipes.special,
      pipes.branches,
      shared_load.with_lanes + in_cluster.cluster_own,
      shared_store.with_lanes,
      global_load.with_lanes - in_cluster.cluster,
      global_store.with_lanes,
      async_copy.with_lanes,
      global_store.executed,
      async_copy.executed,
      shared_load.wavefronts + own_wavefronts,
      shared_store.wavefronts,
      async_copy.wavefronts,
      global_load.sectors + async_copy.sectors,
      global_store.sectors,
  };
}

double issued(const sass::Counts& counts) {
  return std::accumulate(counts.instructions.begin(), counts.instructions.end(), 0.0,
                         [](double sum, const InstructionCount& c) { return sum + c.executed; });
}

}  // namespace

LaunchCounts count_launch(const sass::Executor& executor, const LaunchPlan& plan) {
  LaunchCounts launch;
  double most = -1;
  for (std::int64_t z = 0; z < plan.grid_z; ++z) {
    for (std::int64_t y = 0; y < plan.grid_y; ++y) {
      for (std::int64_t x = 0; x < plan.grid_x; ++x) {
        auto block = execute_block(executor, {x, y, z});
        launch.all += block;
        if (issued(block) <= most) continue;
        most = issued(block);
        launch.busiest_block = std::move(block);
      }
    }
  }
  return launch;
}

std::vector<ReadCount> read_counts(const sass::Program& program, const LaunchCounts& counts) {
  const auto all = values(program, counts.all), busiest = values(program, counts.busiest_block);
  std::vector<ReadCount> read;
  for (std::size_t i = 0; i < quantities.size(); ++i)
    read.push_back({quantities[i].name, quantities[i].counter, all[i], busiest[i]});
  return read;
}

}  // namespace tilecast
