#include "validation/counters/read_counts.hpp"

namespace tilecast {
namespace {

using sass::InstructionCount;
using sass::OpClass;

}  // namespace

std::vector<ReadCount> read_counts(const sass::Program& program, const sass::Counts& counts) {
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
  // The counters of memory instructions leave out those that no thread runs. Loads of a cluster's shared
  // memory count as shared where they find the own block's, and else nowhere.
  return {
      {"instructions", "smsp__inst_executed.sum", all.executed},
      {"instructions of threads", "smsp__thread_inst_executed_pred_on.sum", all.threads},
      {"multiply-adds of threads", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
       of(OpClass::ffma).threads},
      {"additions of threads", "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", fadd.threads},
      {"shared loads", "smsp__sass_inst_executed_op_shared_ld.sum",
       shared_load.with_lanes + in_cluster.cluster_own},
      {"shared stores", "smsp__sass_inst_executed_op_shared_st.sum", shared_store.with_lanes},
      {"global loads", "smsp__sass_inst_executed_op_global_ld.sum",
       global_load.with_lanes - in_cluster.cluster},
      {"global stores", "smsp__sass_inst_executed_op_global_st.sum", global_store.with_lanes},
      {"asynchronous copies", "smsp__sass_inst_executed_op_ldgsts.sum", async_copy.with_lanes},
      {"wavefronts of shared loads", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
       shared_load.wavefronts + own_wavefronts},
      {"wavefronts of shared stores", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
       shared_store.wavefronts},
      {"wavefronts of asynchronous copies",
       "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum", async_copy.wavefronts},
      {"sectors of loads and copies", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
       global_load.sectors + async_copy.sectors},
      {"sectors of stores", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", global_store.sectors},
  };
}

}  // namespace tilecast
