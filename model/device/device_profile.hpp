#pragma once
// A GPU as the models see it: identity, exact limits, and measured or published parameters with provenance.
// The table in parameters.cpp is the one list of keys; loading, showing, checking and the JSON Schema follow
// it.

#include <cstdint>
#include <string>
#include <vector>

#include "model/device/measurement_run.hpp"
#include "model/device/parameter.hpp"
#include "model/units/quantity.hpp"

namespace tilecast {

// By which factors a typical point lies below and above its y at the ends of its interval: root mean squares
// over the points; 1 and 1 where none has an interval.
struct PointSpread {
  double low = 1, high = 1;
};

// A measured curve y(x), x ascending. `shape` names what is held fixed when a profile has several of a kind,
// e.g. "16-byte loads, 2 blocks per SM".
struct Curve {
  std::vector<double> x, y;
  std::vector<double> y_low, y_high;  // 95 % interval of each point; empty when unknown
  std::vector<long> samples;          // of each point; empty when unknown
  Provenance provenance;
  PointSpread spread;  // of y_low and y_high, as loaded
  bool present() const { return !x.empty(); }
};

// Piecewise linear in log2(x), x positive; clamped to the end values outside.
double interpolate(const Curve& curve, double x);

// y over two integer axes, row major: y[i * columns.size() + j] belongs to rows[i], columns[j].
struct Table2D {
  std::vector<double> rows, columns, y;
  std::vector<double> y_low, y_high;  // 95 % interval of each point; empty when unknown
  std::vector<long> samples;          // of each point; empty when unknown
  Provenance provenance;
  PointSpread spread;  // of y_low and y_high, as loaded
  bool present() const { return !y.empty(); }
};

struct DeviceProfile {
  DeviceProfile();  // names every parameter, so that a missing one can say which probe measures it

  // Identity
  std::string name;      // "h200": how the command line calls it
  std::string gpu_name;  // "NVIDIA H200": what the driver or datasheet calls it
  int compute_capability_major = 0, compute_capability_minor = 0;
  std::string driver, toolkit, measured_on;  // of the measurement; empty when published values only
  Conditions conditions;
  std::vector<MeasurementRun> runs;  // of the probes that measured it, or that could not

  // Limits: exact integers
  Parameter<std::int64_t> sm_count;
  Parameter<std::int64_t> fp32_lanes_per_sm;
  Parameter<std::int64_t> schedulers_per_sm;
  Parameter<std::int64_t> max_threads_per_sm;
  Parameter<std::int64_t> max_threads_per_block;
  Parameter<std::int64_t> max_blocks_per_sm;
  Parameter<std::int64_t> registers_per_sm;
  Parameter<std::int64_t> max_registers_per_thread;
  Parameter<std::int64_t> register_allocation_unit;  // registers, granted a warp at a time
  Parameter<Bytes> shared_per_sm;
  Parameter<Bytes> shared_per_block;           // the opt-in maximum
  Parameter<Bytes> shared_reserved_per_block;  // taken by the system in each block
  Parameter<Bytes> shared_allocation_unit;
  Parameter<Bytes> l2_size;
  Parameter<Bytes> dram_size;

  // Clocks
  Parameter<Frequency> base_clock;
  Parameter<Frequency> boost_clock;
  Parameter<Frequency> sm_clock;         // under sustained FMA load, from in-kernel clocks
  Parameter<Frequency> sm_clock_memory;  // under sustained DRAM load
  Parameter<Frequency> sm_clock_l2;      // under sustained L2 load
  Parameter<Frequency> memory_clock;     // under DRAM load, as the driver tells it
  Parameter<double> power_idle, power_fma, power_dram, power_l2;  // W, by load
  // Why clocks were held back during the load: bits of NVML's clock event reasons, 0 for none.
  Parameter<std::int64_t> clock_reasons_fma, clock_reasons_dram, clock_reasons_l2;

  // Latencies of one dependent access, idle GPU
  Parameter<Cycles> shared_latency;
  Parameter<Cycles> l1_latency;
  Parameter<Cycles> l2_latency;      // hit, median over SMs and slices
  Parameter<Cycles> l2_far_latency;  // hit in the far partition, where there are two
  Parameter<Cycles> dram_latency;
  Parameter<Cycles> dram_latency_tlb_hit;
  Parameter<Cycles> dram_latency_tlb_miss;
  Parameter<Cycles> dram_loaded_latency;     // where streams reach 95 % of their highest bandwidth
  Parameter<Cycles> l2_loaded_latency;       // likewise
  Parameter<Cycles> cluster_shared_latency;  // shared memory of another block of the cluster
  Parameter<Cycles> dram_latency_wall;       // by a second, independent method
  Parameter<Cycles> fma_latency;

  // Rates
  Parameter<Bandwidth> dram_peak;  // memory clock x bus width
  Parameter<Bandwidth> dram_read;
  Parameter<Bandwidth> dram_write;
  Parameter<Bandwidth> dram_copy;  // read + written bytes
  Parameter<Bandwidth> l2_read;    // whole device
  Parameter<Bandwidth> l2_write;
  Parameter<BytesPerCycle> shared_read;  // one SM
  Parameter<PerCycle> fma_rate;          // FMAs per cycle and SM, best over warps x ILP
  Parameter<PerCycle> fma_rate_wall;     // by a second, independent method

  // Launch
  Parameter<Seconds> launch_stream;  // interval between empty kernels launched back to back in a stream
  Parameter<Seconds> launch_graph;   // the same between the nodes of a replayed CUDA graph
  Parameter<Seconds> launch_grid;  // likewise, one block of 256 threads on every SM that reads its parameters
  Parameter<Cycles> block_dispatch;     // each further such block a SM
  Parameter<Seconds> store_drain;       // what one store a thread adds to launch_grid
  Parameter<Cycles> barrier;            // __syncthreads of 8 warps
  Parameter<Seconds> launch_first;      // first launch after the code was loaded, host to device and back
  Parameter<Seconds> launch_dependent;  // as launch_grid, programmatic dependent launch
  Parameter<Cycles> first_access;       // what a launch's first global load takes beyond later ones

  // Issue and memory pipeline of one SM, for the simulator (EQUATIONS.md S4, S5, S7)
  Parameter<std::int64_t> memory_queue_entries;         // memory instructions that a scheduler holds
  Parameter<std::int64_t> memory_shared_queue_entries;  // further ones that the SM holds for all schedulers
  Parameter<Cycles> memory_register;                    // between the registers that they read
  Parameter<Cycles> memory_accept;                      // between memory instructions of an SM
  Parameter<BytesPerCycle> shared_return;               // results of shared loads to the registers, one SM
  Parameter<Cycles> wide_return_hold;   // for which a 128-bit result, two registers a cycle, stops issue
  Parameter<Cycles> shared_pass;        // that each further pass adds to shared_latency
  Parameter<Cycles> barrier_arrival;    // between the arrivals of two warps
  Parameter<Cycles> branch;             // after a taken branch, beyond its stall count
  Parameter<Cycles> fence;              // of one warp for the whole GPU, nothing under way
  Parameter<Cycles> fence_after_store;  // behind a store of 4 bytes a lane, the store included

  // Saturation: bytes in flight, whole device, at which reading DRAM reaches a fraction of its plateau
  Parameter<Bytes> v_s_95;
  Parameter<Bytes> v_s_99;
  Parameter<Bytes> v_s_90;
  Parameter<Bytes> v_s_little;  // dram_read x dram_latency / sm_clock: what Little's law wants
  // By what brings the bytes: few warps with eight 16-byte loads a thread, 8- and 4-byte loads, cp.async,
  // bulk
  Parameter<Bytes> v_s_90_deep, v_s_95_deep, v_s_99_deep;
  Parameter<Bytes> v_s_90_load8, v_s_95_load8, v_s_99_load8;
  Parameter<Bytes> v_s_90_load4, v_s_95_load4, v_s_99_load4;
  Parameter<Bytes> v_s_90_cp_async, v_s_95_cp_async, v_s_99_cp_async;
  Parameter<Bytes> v_s_90_bulk, v_s_95_bulk, v_s_99_bulk;

  // L2 residency and sectors written in pieces
  Parameter<Bytes> l2_effective;         // footprint of which 95 % is in L2, lines read by one SM
  Parameter<Bytes> l2_effective_shared;  // likewise, lines read by several SMs
  Parameter<double>
      partial_sector_write_ratio;  // time of half a sector written alone over that of a whole one
  Parameter<Bytes> write_merge;    // bytes written in between up to which the halves of a sector mostly merge

  // Atomics: one that returns, idle GPU; rates of the whole GPU, each thread on a line of its own
  Parameter<Cycles> atomic_latency, atomic_f32_latency;
  Parameter<PerCycle> red_f32_scattered, red_u32_scattered, atom_f32_scattered, atom_u32_scattered;

  // N_FMA by experiment: FMAs of one SM between a load and its use at which the load's time no longer shows.
  // The derived value beside it: derived_values().
  Parameter<double> n_fma_idle;        // FMAs, one SM of an idle device
  Parameter<double> n_fma_idle_flops;  // two flops a FMA
  Parameter<double> n_fma_loaded;      // FMAs, all SMs with 16 KiB in flight each
  Parameter<double> n_fma_loaded_flops;

  // Curves
  Curve latency_over_footprint;  // bytes -> cycles
  Curve l2_latency_over_sm;      // SM number -> cycles, mean over lines
  Curve l2_far_latency_over_sm;  // likewise, lines of the other partition
  Curve l2_latency_over_span;    // bytes that 4096 lines in L2 are spread over -> cycles
  Curve dram_latency_over_span;  // likewise, lines in DRAM
  // Bytes/s that the other SMs move -> cycles of a dependent load: median, mean, p10, p90
  Curve dram_latency_over_load, dram_latency_mean_over_load, dram_latency_p10_over_load,
      dram_latency_p90_over_load;
  Curve l2_latency_over_load, l2_latency_mean_over_load, l2_latency_p10_over_load, l2_latency_p90_over_load;
  Curve dram_read_over_bytes_in_flight;   // bytes in flight, whole device -> bytes/s
  Curve dram_write_over_bytes_in_flight;  // likewise
  Curve dram_read_deep_over_bytes_in_flight, dram_read_load8_over_bytes_in_flight,
      dram_read_load4_over_bytes_in_flight, dram_read_cp_async_over_bytes_in_flight,
      dram_read_bulk_over_bytes_in_flight;  // likewise, by what brings the bytes
  Curve dram_read_over_active_sms;          // SMs -> bytes/s
  Curve dram_mixed_over_read_share;      // percentage of the bytes that is read -> bytes/s read and written
  Curve l2_read_over_footprint;          // bytes -> bytes/s, whole device, all SMs the same data
  Curve l2_read_private_over_footprint;  // likewise, each SM a part of its own
  Curve l2_write_over_footprint;         // likewise
  Curve l2_read_over_active_sms;         // SMs -> bytes/s, each a part of its own
  Curve l2_hit_rate_over_footprint;      // bytes -> share that is in L2, lines read by one SM
  Curve l2_hit_rate_shared_over_footprint;    // likewise, lines read by several SMs
  Table2D l2_latency_over_sm_and_line;        // SM number x byte offset of the line -> cycles, near
  Table2D l2_first_latency_over_sm_and_line;  // likewise, near or far by the line's owner
  Table2D fma_rate_over_warps_and_ilp;        // warps per SM x independent chains -> FMAs/cycle/SM
  Table2D fma_rate_over_register_tile;        // filters x pixels of a thread's register tile -> FMAs/cycle/SM
  Table2D resident_blocks_over_threads_and_shared;       // threads x bytes of shared memory -> blocks/SM
  Table2D resident_blocks_over_threads_and_registers;    // threads x registers a thread -> blocks/SM
  Table2D dram_write_over_piece_and_distance;            // piece bytes x bytes written in between -> bytes/s
  Table2D dram_write_unaligned_over_piece_and_distance;  // likewise, 8 bytes behind a sector's begin
  // Words of a line x lines -> atomics/cycle, whole GPU
  Table2D red_f32_over_words_and_lines, red_u32_over_words_and_lines, atom_f32_over_words_and_lines,
      atom_u32_over_words_and_lines;
  Table2D launch_over_blocks_and_threads;  // blocks per SM x threads of a block -> s, nodes of a graph
  // Blocks of a cluster (1: none) x threads of a block, grids of many times what fits at once -> s a block,
  // whole GPU, blocks that leave at once, without and with 64 KiB of shared memory each; blocks that an SM
  // holds on average when each stays for a while
  Table2D block_launch_over_cluster_and_threads, block_launch_shared_over_cluster_and_threads;
  Table2D resident_blocks_over_cluster_and_threads;
  Curve cluster_sms_over_blocks;  // blocks of a cluster, one a SM -> SMs that such clusters reach at once
  // Blocks of a cluster x blocks that fit on an SM -> blocks in such clusters on the whole GPU at once
  Table2D cluster_blocks_over_cluster_and_fit;
  Curve launch_over_loads;  // dependent loads of a kernel, L2 -> s, nodes of a graph
  // Bytes that a store writes in a row x SMs at it -> bytes a cycle and SM: of gaps that stay, that another
  // warp of the block fills, and that the warp's next store fills
  Table2D store_rate_over_piece_and_sms, store_rate_filled_by_block_over_piece_and_sms,
      store_rate_filled_by_warp_over_piece_and_sms;
  // FFMAs in a row, each done once a launch x warps per SM -> cycles that they add to it; likewise where all
  // of them wait for a load at the kernel's start
  Table2D first_pass_over_length_and_warps, first_pass_behind_load_over_length_and_warps;

  // N_FMA, register ports, fetch, issue, shared memory and copies, barriers
  Curve round_over_fmas_idle;        // FMAs/SM between load and use -> cycles of a round, n_fma_idle
  Curve round_over_fmas_loaded;      // likewise, n_fma_loaded
  Curve fma_rate_over_bank_reads;    // operand reads of the busier register bank a FMA -> FMAs/cycle/SM
  Curve issue_rate_over_imad_share;  // share of instructions that are not FMAs -> instructions/cycle/SM
  Curve issue_rate_over_alu_share;
  Curve barrier_over_warps;              // warps -> cycles of __syncthreads
  Curve mbarrier_over_warps;             // warps -> cycles of arrival and wait
  Curve shared_latency_over_width;       // bytes a lane -> cycles
  Curve shared_latency_over_wavefronts;  // lanes of one bank -> cycles
  // Blocks of a cluster -> bytes a cycle and SM; cycles; cycles without ordering memory; s
  Curve cluster_shared_read_over_blocks, cluster_barrier_over_blocks, cluster_barrier_relaxed_over_blocks,
      launch_cluster_over_blocks;
  Curve l1_load_cycles_over_width;  // bytes a lane -> cycles of an SM for one warp's access
  Curve global_store_cycles_over_width;
  Curve async_copy_cycles_over_width;
  Curve bulk_copy_latency_over_bytes;         // bytes -> cycles, one at a time
  Curve bulk_copy_cycles_over_bytes;          // bytes -> cycles each, four at a time
  Table2D fma_rate_over_outer_product;        // m x n of a thread's outer product -> FMAs/cycle/SM, no loads
  Table2D fma_rate_over_outer_product_loads;  // likewise with the shared-memory loads of its operands
  Table2D
      operand_cycles_over_outer_product;  // that code's register reads -> cycles a FMA (operand_reads.hpp)
  Table2D fma_rate_over_loop_length;      // FMAs in the loop x warps per SM -> FMAs/cycle/SM
  // Bytes a lane x distance of neighbouring lanes in such vectors -> cycles of an SM for one warp's access.
  Table2D shared_load_cycles_over_width_and_stride, shared_store_cycles_over_width_and_stride;
  // Bytes a lane x different vectors among 32 lanes, shared by neighbours or by lane modulo their number.
  Table2D shared_load_cycles_over_width_and_vectors, shared_load_cycles_over_width_and_vectors_apart;
};

PointSpread point_spread(const std::vector<double>& y, const std::vector<double>& y_low,
                         const std::vector<double>& y_high);

// The value of the nearest row and column, each by the ratio of the two numbers; the smaller at a tie.
double nearest(const Table2D& table, double row, double column);

// Linear in both, clamped to the table's edges.
double interpolate(const Table2D& table, double row, double column);

// Little's law, from the profile's values (EQUATIONS.md P2).
Bytes derived_v_s(const DeviceProfile& device);

}  // namespace tilecast
