#pragma once
// How anything on a GPU is timed, and the arithmetic of it: the latter is pure, so that it is tested without
// a GPU.

#include <functional>
#include <span>
#include <vector>

#include "kernels/runtime/gpu.hpp"

namespace tilecast {

// Median, p10 and p90 of the samples; the clock is left to the caller.
Timing summarise_samples(std::vector<double> samples_s);

// How many kernels make a replay of `target_s` when one takes `kernel_s`: at least 1, at most `limit`.
int graph_nodes(double target_s, double kernel_s, int limit);

// By graph: work is captured many times over and the graph replayed. By stream: the same number of calls is
// enqueued between two events each time, for library calls that cannot be captured; host time may then show.
enum class Replay { graph, stream };

// Times what `enqueue` puts on the GPU's stream, as Gpu::time() does a kernel, so that kernels and library
// calls are timed alike. `enqueue` is called many times and must not wait; what it throws ends the timing and
// leaves the stream usable. Throws CudaError when the work cannot be captured.
Timing time_work(Gpu& gpu, const std::function<void()>& enqueue, const TimingOptions& options = {},
                 Replay replay = Replay::graph);

}  // namespace tilecast
