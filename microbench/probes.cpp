// THE list of probes.
#include <array>

#include "microbench/probes/probes.hpp"

namespace tilecast {

std::span<const Probe> probes() {
  // clang-format off
  static const std::array list{
      Probe{"limits", "What does the driver say the GPU has?",
            {"sm_count", "max_threads_per_sm", "registers_per_sm", "shared_per_sm_bytes", "dram_peak_bytes_per_s"}, probe_limits},
      Probe{"launch", "What is the least that a launch takes?", 
            {"launch_stream_s", "launch_graph_s", "launch_grid_s", "block_dispatch_cycles", "store_drain_s",
             "launch_first_s", "launch_dependent_s", "launch_over_blocks_and_threads"}, probe_launch},
      Probe{"clock", "At what clocks and power does it run idle, under FMA, DRAM and L2 load, and what holds it back?",
            {"sm_clock_hz", "sm_clock_memory_hz", "sm_clock_l2_hz", "memory_clock_dram_hz", "power_idle_w", "power_fma_w",
             "power_dram_w", "power_l2_w", "clock_event_reasons_fma", "clock_event_reasons_dram",
             "clock_event_reasons_l2"}, probe_clock},
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
      Probe{"fma_ports", "What do register banks leave of the FMA rate?",
            {"fma_rate_over_bank_reads", "fma_rate_over_outer_product", "fma_rate_over_outer_product_loads",
             "operand_cycles_over_outer_product"}, probe_fma_ports},
      Probe{"fetch", "How long may a loop be until instruction fetch limits it?", {"fma_rate_over_loop_length"}, probe_fetch},
      Probe{"issue", "Which instructions take the FMAs' place?",
            {"issue_rate_over_imad_share", "issue_rate_over_alu_share"}, probe_issue},
      Probe{"shared_access", "What does a shared-memory access cost by width and pattern?",
            {"shared_latency_over_width", "shared_load_cycles_over_width_and_stride",
             "shared_store_cycles_over_width_and_stride", "shared_load_cycles_over_width_and_vectors",
             "shared_load_cycles_over_width_and_vectors_apart"}, probe_shared_access},
      Probe{"copies", "What do loads, stores, asynchronous and bulk copies cost to issue?",
            {"l1_load_cycles_over_width", "global_store_cycles_over_width", "async_copy_cycles_over_width",
             "bulk_copy_latency_over_bytes", "bulk_copy_cycles_over_bytes"}, probe_copies},
      Probe{"n_fma", "How many FMAs between a load and its use hide the load?",
            {"n_fma_idle_fmas", "n_fma_idle_flops", "n_fma_loaded_fmas", "n_fma_loaded_flops", "round_over_fmas_idle",
             "round_over_fmas_loaded"}, probe_n_fma},
      Probe{"barrier", "What does it cost that warps meet?", {"barrier_cycles", "barrier_over_warps", "mbarrier_over_warps"},
            probe_barrier},
      Probe{"dram_bandwidth", "How fast is DRAM, by bytes in flight and what brings them, and how many does it take?",
            {"dram_read_bytes_per_s", "dram_write_bytes_per_s", "dram_copy_bytes_per_s", "v_s_95_bytes", "v_s_99_bytes",
             "dram_read_over_bytes_in_flight", "dram_write_over_bytes_in_flight", "dram_read_over_active_sms",
             "dram_mixed_over_read_share"}, probe_dram_bandwidth},
      Probe{"l2_bandwidth", "How fast is L2, by footprint?",
            {"l2_read_bytes_per_s", "l2_write_bytes_per_s", "l2_read_over_footprint", "l2_read_private_over_footprint",
             "l2_write_over_footprint"}, probe_l2_bandwidth},
      Probe{"l2_capacity", "How much of a footprint does L2 keep?",
            {"l2_effective_bytes", "l2_effective_shared_bytes", "l2_hit_rate_over_footprint",
             "l2_hit_rate_shared_over_footprint"}, probe_l2_capacity},
      Probe{"partial_writes", "What does it cost to write a sector in pieces?",
            {"partial_sector_write_ratio", "write_merge_bytes", "dram_write_over_piece_and_distance",
             "dram_write_unaligned_over_piece_and_distance"}, probe_partial_writes},
      Probe{"atomics", "How many atomics a cycle, and how long does one take?",
            {"atomic_latency_cycles", "atomic_f32_latency_cycles", "red_f32_over_words_and_lines",
             "red_u32_over_words_and_lines", "atom_f32_over_words_and_lines", "atom_u32_over_words_and_lines"},
            probe_atomics},
      Probe{"residency", "How many blocks does an SM hold at once?",
            {"resident_blocks_over_threads_and_shared", "resident_blocks_over_threads_and_registers"}, probe_residency},
      Probe{"second_methods", "Do DRAM latency and FMA rate come out the same by the host's clock?",
            {"dram_latency_wall_cycles", "fma_rate_wall_per_cycle"}, probe_second_methods},
  };
  // clang-format on
  return list;
}

}  // namespace tilecast
