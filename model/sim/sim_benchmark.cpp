// Not a test: milliseconds a simulation, and nanoseconds a warp instruction that is stepped through.

#include <cstdio>
#include <ctime>

#include "model/sim/sim_test_device.hpp"
#include "model/sim/sm_simulator.hpp"

using namespace tilecast;
using namespace tilecast::sim;

int main() {
  // A register tile of 8 x 8 by 8 warps: 64 FMAs to four shared loads, 8 of these a trip, and a barrier.
  auto load = memory_op(StreamOpKind::shared_load, 1);
  load.width_bytes = 16;
  load.wavefronts = 2;
  load.stall = 1;
  std::vector<StreamOp> ops;
  for (int k = 0; k < 8; ++k) {
    for (int i = 0; i < 4; ++i)
      ops.push_back(load);
    for (int i = 0; i < 64; ++i) {
      auto op = fma_op();
      op.sources = {8 + i % 8, 16 + i / 8, 32 + i};
      op.reuse_mask = 0b010;
      if (i == 0) op.wait_mask = 2;
      ops.push_back(op);
    }
  }
  StreamOp barrier;
  barrier.kind = StreamOpKind::barrier;
  ops.push_back(barrier);
  const auto stream =
      uniform_stream(ops, {loop_step(1, 512), run_step(0, static_cast<std::int32_t>(ops.size()))}, 8);
  auto p = round_core();
  p.schedulers = 4;
  for (const bool extrapolate : {true, false}) {
    for (const int blocks : {1, 2}) {
      SmWork work;
      work.resident = work.blocks = blocks;
      work.extrapolate = extrapolate;
      const auto begin = std::clock();
      const auto r = simulate_sm(stream, p, work);
      const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
      std::printf("%d blocks, %s: %.2f ms, %.1f ns an instruction, %lld cycles\n", blocks,
                  extrapolate ? "repeating trips skipped" : "every trip", 1e3 * seconds,
                  1e9 * seconds / r.simulated, static_cast<long long>(r.cycles));
    }
  }
}
