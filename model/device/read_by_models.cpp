#include <algorithm>
#include <iterator>

#include "model/device/parameters.hpp"

namespace tilecast {
namespace {

// Of the analytic model, the simulator, the paper's model and those of others, with the kernels' choice of
// configs and descriptions. tests/source_rules_test.cpp holds it against what their code reads.
constexpr std::string_view read_keys[] = {
    "async_copy_cycles_over_width",
    "barrier_arrival_cycles",
    "barrier_cycles",
    "barrier_over_warps",
    "base_clock_hz",
    "block_dispatch_cycles",
    "block_launch_over_cluster_and_threads",
    "boost_clock_hz",
    "branch_cycles",
    "cluster_barrier_over_blocks",
    "cluster_blocks_over_cluster_and_fit",
    "cluster_shared_latency_cycles",
    "cluster_shared_read_over_blocks",
    "cluster_sms_over_blocks",
    "dram_latency_cycles",
    "dram_latency_over_load",
    "dram_latency_p10_over_load",
    "dram_latency_p90_over_load",
    "dram_mixed_over_read_share",
    "dram_peak_bytes_per_s",
    "dram_read_bytes_per_s",
    "dram_read_over_bytes_in_flight",
    "dram_write_bytes_per_s",
    "dram_write_over_piece_and_distance",
    "fence_cycles",
    "fma_rate_over_loop_length",
    "fma_rate_over_register_tile",
    "fma_rate_per_cycle",
    "fp32_lanes_per_sm",
    "l1_latency_cycles",
    "l2_effective_bytes",
    "l2_far_latency_cycles",
    "l2_latency_cycles",
    "l2_latency_over_load",
    "l2_latency_p10_over_load",
    "l2_latency_p90_over_load",
    "l2_read_bytes_per_s",
    "l2_read_over_active_sms",
    "l2_size_bytes",
    "l2_write_bytes_per_s",
    "l2_write_over_footprint",
    "latency_over_footprint",
    "launch_cluster_over_blocks",
    "launch_graph_s",
    "launch_grid_s",
    "launch_over_blocks_and_threads",
    "max_blocks_per_sm",
    "max_registers_per_thread",
    "max_threads_per_block",
    "max_threads_per_sm",
    "memory_accept_cycles",
    "memory_queue_entries",
    "memory_shared_queue_entries",
    "memory_register_cycles",
    "register_allocation_unit",
    "registers_per_sm",
    "resident_blocks_over_cluster_and_threads",
    "schedulers_per_sm",
    "shared_allocation_unit_bytes",
    "shared_latency_cycles",
    "shared_latency_over_width",
    "shared_pass_cycles",
    "shared_per_block_bytes",
    "shared_per_sm_bytes",
    "shared_read_bytes_per_cycle",
    "shared_reserved_per_block_bytes",
    "sm_clock_hz",
    "sm_count",
    "store_drain_s",
    "store_rate_filled_by_block_over_piece_and_sms",
    "store_rate_filled_by_warp_over_piece_and_sms",
    "wide_return_hold_cycles",
};

}  // namespace

bool read_by_models(std::string_view key) {
  return std::ranges::find(read_keys, key) != std::end(read_keys);
}

}  // namespace tilecast
