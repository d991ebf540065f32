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

// A measured curve y(x), x ascending. `shape` names what is held fixed when a profile has several of a kind,
// e.g. "16-byte loads, 2 blocks per SM".
struct Curve {
  std::vector<double> x, y;
  std::vector<double> y_low, y_high;  // 95 % interval of each point; empty when unknown
  Provenance provenance;
  bool present() const { return !x.empty(); }
};

// Piecewise linear in log2(x), x positive; clamped to the end values outside.
double interpolate(const Curve& curve, double x);

// y over two integer axes, row major: y[i * columns.size() + j] belongs to rows[i], columns[j].
struct Table2D {
  std::vector<double> rows, columns, y;
  Provenance provenance;
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
  Parameter<Cycles> block_dispatch;  // each further such block a SM
  Parameter<Seconds> store_drain;    // what one store a thread adds to launch_grid
  Parameter<Cycles> barrier;         // __syncthreads of 8 warps

  // Issue and memory pipeline of one SM, for the simulator (EQUATIONS.md S4, S5, S7)
  Parameter<std::int64_t> memory_queue_entries;  // memory instructions that a scheduler holds
  Parameter<Cycles> memory_register;             // between the registers that they read
  Parameter<Cycles> memory_accept;               // between memory instructions of an SM
  Parameter<BytesPerCycle> shared_return;        // results of shared loads to the registers, one SM
  Parameter<Cycles> wide_return_hold;  // for which a 128-bit result, two registers a cycle, stops issue
  Parameter<Cycles> shared_pass;       // that each further pass adds to shared_latency
  Parameter<Cycles> barrier_arrival;   // between the arrivals of two warps
  Parameter<Cycles> branch;            // after a taken branch, beyond its stall count

  // Saturation: bytes in flight, whole device, at which reading DRAM reaches a fraction of its plateau
  Parameter<Bytes> v_s_95;
  Parameter<Bytes> v_s_99;

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
  Curve dram_read_over_bytes_in_flight;       // bytes in flight, whole device -> bytes/s
  Curve dram_write_over_bytes_in_flight;      // likewise
  Curve l2_read_over_footprint;               // bytes -> bytes/s, whole device
  Table2D l2_latency_over_sm_and_line;        // SM number x byte offset of the line -> cycles, near
  Table2D l2_first_latency_over_sm_and_line;  // likewise, near or far by the line's owner
  Table2D fma_rate_over_warps_and_ilp;        // warps per SM x independent chains -> FMAs/cycle/SM
  Table2D fma_rate_over_register_tile;        // filters x pixels of a thread's register tile -> FMAs/cycle/SM
  Table2D resident_blocks_over_threads_and_shared;     // threads x bytes of shared memory -> blocks/SM
  Table2D resident_blocks_over_threads_and_registers;  // threads x registers a thread -> blocks/SM
  Table2D launch_over_blocks_and_threads;  // blocks per SM x threads of a block -> s, nodes of a graph
};

// The value of the nearest row and column, each by the ratio of the two numbers; the smaller at a tie.
double nearest(const Table2D& table, double row, double column);

// Linear in both, clamped to the table's edges.
double interpolate(const Table2D& table, double row, double column);

// Little's law, the paper's two constants, from the profile's values (EQUATIONS.md P1, P2).
// `flops_per_fma` is 2 in the paper's reading and 1 for true FMAs.
double derived_n_fma(const DeviceProfile& device, int flops_per_fma);
Bytes derived_v_s(const DeviceProfile& device);

}  // namespace tilecast
