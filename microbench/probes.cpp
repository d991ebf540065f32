// THE list of probes.
#include <array>

#include "microbench/probes/probes.hpp"

namespace tilecast {

std::span<const Probe> probes() {
  // clang-format off
  static const std::array list{
      Probe{"limits", "What does the driver say the GPU has?",
            {"sm_count", "max_threads_per_sm", "registers_per_sm", "shared_per_sm_bytes", "dram_peak_bytes_per_s"}, probe_limits},
      Probe{"clock", "At what clock do the SMs run under FMA and under DRAM load?",
            {"sm_clock_hz", "sm_clock_memory_hz"}, probe_clock},
      Probe{"latency", "How long does one dependent load take, by where it hits?",
            {"l1_latency_cycles", "dram_latency_cycles", "latency_over_footprint"}, probe_latency},
      Probe{"l2_map", "How far is a line in L2, by SM: in the near partition and in the far one?",
            {"l2_latency_cycles", "l2_far_latency_cycles", "l2_latency_over_sm", "l2_far_latency_over_sm",
             "l2_latency_over_sm_and_line", "l2_first_latency_over_sm_and_line"}, probe_l2_map},
      Probe{"tlb", "What does address translation add, by the memory that is spanned?",
            {"dram_latency_tlb_hit_cycles", "dram_latency_tlb_miss_cycles", "l2_latency_over_span", "dram_latency_over_span"}, probe_tlb},
      Probe{"loaded_latency", "How long does a load take while others stream?",
            {"dram_loaded_latency_cycles", "l2_loaded_latency_cycles", "dram_latency_over_load", "dram_latency_mean_over_load", "dram_latency_p10_over_load",
             "dram_latency_p90_over_load", "l2_latency_over_load", "l2_latency_mean_over_load", "l2_latency_p10_over_load", "l2_latency_p90_over_load"}, probe_loaded_latency},
      Probe{"cluster", "How long does a load from another block's shared memory take?",
            {"cluster_shared_latency_cycles"}, probe_cluster},
      Probe{"shared", "How long does a shared-memory load take, and how many bytes a cycle?",
            {"shared_latency_cycles", "shared_read_bytes_per_cycle"}, probe_shared},
      Probe{"fma", "How many FMAs a cycle, by warps and independent chains?",
            {"fma_latency_cycles", "fma_rate_per_cycle", "fma_rate_over_warps_and_ilp",
             "fma_rate_over_register_tile"}, probe_fma},
      Probe{"barrier", "What does __syncthreads cost?", {"barrier_cycles"}, probe_barrier},
      Probe{"dram_bandwidth", "How fast is DRAM, by bytes in flight, and how many does it take?",
            {"dram_read_bytes_per_s", "dram_write_bytes_per_s", "dram_copy_bytes_per_s", "v_s_95_bytes", "v_s_99_bytes",
             "dram_read_over_bytes_in_flight", "dram_write_over_bytes_in_flight"}, probe_dram_bandwidth},
      Probe{"l2_bandwidth", "How fast is L2, by footprint?",
            {"l2_read_bytes_per_s", "l2_write_bytes_per_s", "l2_read_over_footprint"}, probe_l2_bandwidth},
      Probe{"launch", "What is the least that a launch takes?", 
            {"launch_stream_s", "launch_graph_s", "launch_grid_s", "block_dispatch_cycles", "store_drain_s",
             "launch_over_blocks_and_threads"}, probe_launch},
      Probe{"residency", "How many blocks does an SM hold at once?",
            {"resident_blocks_over_threads_and_shared", "resident_blocks_over_threads_and_registers"}, probe_residency},
      Probe{"second_methods", "Do DRAM latency and FMA rate come out the same by the host's clock?",
            {"dram_latency_wall_cycles", "fma_rate_wall_per_cycle"}, probe_second_methods},
  };
  // clang-format on
  return list;
}

}  // namespace tilecast
