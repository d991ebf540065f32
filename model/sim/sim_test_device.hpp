#pragma once
// An SM of round numbers, for tests, and instructions to feed it.

#include "model/analytic/analytic_test_device.hpp"
#include "model/sim/core_parameters.hpp"
#include "model/sim/sm_simulator.hpp"
#include "model/workload/instruction_stream.hpp"

namespace tilecast::sim {

// One scheduler unless a test wants more; a shared load is back 20 cycles after its issue.
inline CoreParameters round_core() {
  CoreParameters p;
  p.schedulers = 1;
  p.shared_load_address = p.shared_store_address = 10;
  p.global_load_address = p.global_store_address = p.async_copy_address = 10;
  p.shared_latency = 20;
  p.queue_entries = 3;
  p.shared_queue_places = 2;
  p.cycles_per_register = 4;
  p.accept_interval = 1;
  p.barrier_release = 10;
  p.barrier_begin = 0;
  p.l2 = {200, 200};
  p.dram = {500, 500};
  p.clock = 1e9;
  p.port_bytes_per_cycle = p.store_port_bytes_per_cycle = 64;
  p.l2_read = p.l2_write = 64;
  p.dram_read = p.dram_write = 32;
  p.first_access = 0;
  p.branch = 0;
  p.pass_latency = 1;
  p.wide_return_hold = 0;
  return p;
}

inline StreamOp fma_op(int stall = 1) {
  StreamOp op;
  op.kind = StreamOpKind::fp32;
  op.stall = stall;
  return op;
}

inline StreamOp memory_op(StreamOpKind kind, std::optional<int> write_barrier = std::nullopt) {
  StreamOp op;
  op.kind = kind;
  op.write_barrier = write_barrier;
  op.stall = 2;  // the scoreboard is taken a cycle after issue
  return op;
}

inline StreamOp waiting(StreamOp op, int mask) {
  op.wait_mask = mask;
  return op;
}

// `warps` warps that all run `trace`.
inline InstructionStream uniform_stream(std::vector<StreamOp> ops, std::vector<TraceStep> trace, int warps) {
  InstructionStream s;
  s.ops = std::move(ops);
  s.roles = {{"all", std::move(trace)}};
  s.role_of_warp.assign(static_cast<std::size_t>(warps), 0);
  return s;
}

// Cycles of one block, every trip of its loops stepped through.
inline Cycle cycles_of_block(const InstructionStream& stream, const CoreParameters& p) {
  SmWork work;
  work.extrapolate = false;
  return simulate_sm(stream, p, work).cycles;
}

inline DeviceProfile sim_device() {
  auto d = round_device();  // ten SMs, two blocks each, a cycle is a nanosecond
  d.compute_capability_major = 9;
  d.shared_latency.set(Cycles{23});
  return d;
}

}  // namespace tilecast::sim
