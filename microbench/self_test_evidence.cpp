// A made-up GPU in the likeness of an H100 SXM, and what its probes would return. Round numbers: latency 650
// cycles at 1.755 GHz, 3 TB/s, FMA in 4 cycles.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "microbench/self_test.hpp"
#include "model/device/parameters.hpp"

namespace tilecast {

namespace {

constexpr int sms = 132;
constexpr double clock_hz = 1.755e9, latency = 650, bandwidth = 3.0e12, peak = 3.352e12,
                 l2_bytes = 50 * 1048576.0;

// Five samples within 0.2 %, in no order.
std::vector<double> around(double value) {
  return {value, value * 1.001, value * 0.999, value * 1.002, value * 0.9985};
}

ProbeValue value(std::string key, double number) {
  return {std::move(key), "made up", around(number)};
}
ProbeValue exact(std::string key, double number) {
  return {std::move(key), "made up", {number}, SourceKind::datasheet};
}

double chase_cycles(double footprint) {
  if (footprint < 200e3) return 33;
  if (footprint < 0.7 * l2_bytes) return 265;
  return footprint < 4 * l2_bytes ? 265 + (latency - 265) * (footprint / (4 * l2_bytes)) : latency;
}

// Never above bytes in flight / latency, flat in the end.
double stream_rate(double bytes) {
  return bandwidth * (1 - std::exp(-bytes / (bandwidth * latency / clock_hz)));
}

ProbeOutcome outcome(std::string probe) {
  ProbeOutcome result;
  result.run.probe = probe;
  result.run.started = "2026-01-02T03:04:05Z";
  result.run.id = probe + " 2026-01-02T03:04:05Z";
  result.probe = std::move(probe);
  return result;
}

ProbeOutcome limits() {
  ProbeOutcome out = outcome("limits");
  out.result.values = {exact("sm_count", sms),
                       exact("fp32_lanes_per_sm", 128),
                       exact("schedulers_per_sm", 4),
                       exact("max_threads_per_sm", 2048),
                       exact("max_threads_per_block", 1024),
                       exact("max_blocks_per_sm", 32),
                       exact("registers_per_sm", 65536),
                       exact("max_registers_per_thread", 255),
                       exact("register_allocation_unit", 256),
                       exact("shared_per_sm_bytes", 228 * 1024),
                       exact("shared_per_block_bytes", 227 * 1024),
                       exact("shared_reserved_per_block_bytes", 1024),
                       exact("shared_allocation_unit_bytes", 128),
                       exact("l2_size_bytes", l2_bytes),
                       exact("dram_size_bytes", 80e9),
                       exact("boost_clock_hz", 1.98e9),
                       exact("dram_peak_bytes_per_s", peak)};
  return out;
}

ProbeOutcome residency() {
  ProbeOutcome out = outcome("residency");
  ProbeTable table{
      "resident_blocks_over_threads_and_shared", "made up count", {32, 256, 1024}, {1024, 31 * 1024}, {}};
  for (const double threads : table.rows) {
    for (const double bytes : table.columns)  // 1 KiB a block is reserved
      table.samples.push_back(
          {std::min({32.0, std::floor(2048 / threads), std::floor(228 * 1024 / (bytes + 1024))})});
  }
  out.result.tables = {table};
  return out;
}

ProbeOutcome clusters() {
  ProbeOutcome out = outcome("cluster_dispatch");
  ProbeTable resident{"resident_blocks_over_cluster_and_threads", "made up", {1, 4}, {32, 256}, {}};
  for (const double blocks : {31.5, 7.9, 28.0, 7.0})
    resident.samples.push_back(around(blocks));
  out.result.tables = {resident,
                       {"cluster_blocks_over_cluster_and_fit", "made up count", {4}, {1, 6}, {{120}, {744}}}};
  out.result.curves = {{"cluster_sms_over_blocks", "made up count", {2, 4, 16}, {{132}, {120}, {112}}}};
  return out;
}

ProbeOutcome memory() {
  ProbeOutcome out = outcome("latency");
  out.result.values = {value("l1_latency_cycles", 33), value("l2_latency_cycles", 265),
                       value("l2_far_latency_cycles", 480), value("dram_latency_cycles", latency),
                       value("dram_latency_wall_cycles", 1.01 * latency)};
  ProbeCurve chase{"latency_over_footprint", "made up", {}, {}};
  for (double footprint = 4096; footprint <= 8 * l2_bytes; footprint *= 1.5) {
    chase.x.push_back(footprint);
    chase.samples.push_back(around(chase_cycles(footprint)));
  }
  ProbeCurve stream{"dram_read_over_bytes_in_flight", "made up", {}, {}};
  for (double bytes = sms * 512.0; bytes <= sms * 65536.0; bytes *= 2) {
    stream.x.push_back(bytes);
    stream.samples.push_back(around(stream_rate(bytes)));
  }
  out.result.curves = {chase, stream};
  return out;
}

ProbeOutcome rates() {
  ProbeOutcome out = outcome("fma");
  // 95 % where exp(-x) = 0.05, 99 % where it is 0.01.
  const double little = bandwidth * latency / clock_hz;
  out.result.values = {value("sm_clock_hz", clock_hz),          value("sm_clock_memory_hz", clock_hz),
                       value("shared_latency_cycles", 29),      value("shared_read_bytes_per_cycle", 127.5),
                       value("fma_latency_cycles", 4),          value("fma_rate_per_cycle", 126.5),
                       value("fma_rate_wall_per_cycle", 126),   value("dram_read_bytes_per_s", bandwidth),
                       value("dram_write_bytes_per_s", 3.1e12), value("dram_copy_bytes_per_s", 2.9e12),
                       value("l2_read_bytes_per_s", 7e12),      value("v_s_95_bytes", 3.0 * little),
                       value("v_s_99_bytes", 4.6 * little)};
  ProbeTable table{"fma_rate_over_warps_and_ilp", "made up", {1, 2, 4, 8, 16, 32}, {1, 2, 4, 8}, {}};
  for (const double warps : table.rows) {
    for (const double chains : table.columns) {
      // A scheduler has 32 lanes and serves at most four warps in turn.
      const double schedulers = std::min(warps, 4.0);
      table.samples.push_back(around(std::min(warps * chains * 32 / 4, schedulers * 31.6)));
    }
  }
  out.result.tables = {table};
  return out;
}

}  // namespace

Evidence sound_evidence() {
  Evidence evidence;
  evidence.gpu_name = "NVIDIA H100 80GB HBM3";
  evidence.outcomes = {limits(), residency(), clusters(), memory(), rates()};
  evidence.sms = sms;
  evidence.warps_per_sm = 4;
  for (int sm = 0; sm < sms; ++sm) {
    for (int warp = 0; warp < 4; ++warp)
      evidence.records.push_back({static_cast<unsigned long long>(sm), 100, 4200, 1000, 3300, 8});
  }
  evidence.code = {"probes/fma.cu", "fma_chains", {{"ILP", 4}, {"BODY", 512}}};
  evidence.listing = ".text.fma_chains:\n.L_x_0:\n";
  for (int i = 0; i < 512; ++i)
    evidence.listing += "/*0010*/ FFMA R0, R0, R2, R3 ;\n";
  evidence.listing += "/*2010*/ IADD3 R5, R5, 0x1, RZ ;\n/*2020*/ @!P0 BRA `(.L_x_0) ;\n/*2030*/ EXIT ;\n";
  return evidence;
}

}  // namespace tilecast
