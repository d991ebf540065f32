#include "kernels/runtime/timing.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "kernels/runtime/driver.hpp"
#include "kernels/runtime/launch.hpp"
#include "model/support/statistics.hpp"

namespace tilecast {
namespace {

// A graph of more kernels than this takes longer to build than it is worth: 20,000 empty ones last 20 ms.
constexpr int max_graph_nodes = 20'000;

class Event {
 public:
  Event() { TILECAST_DRIVER(cuEventCreate(&event_, CU_EVENT_DEFAULT)); }
  ~Event() { driver().cuEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record(CUstream stream) { TILECAST_DRIVER(cuEventRecord(event_, stream)); }
  CUevent get() const { return event_; }

 private:
  CUevent event_ = nullptr;
};

// Runs `work` between two events on the stream and waits; seconds between them.
template <class Work>
double timed(CUstream stream, Event& start, Event& stop, const Work& work) {
  start.record(stream);
  work();
  stop.record(stream);
  TILECAST_DRIVER(cuEventSynchronize(stop.get()));
  float milliseconds = 0;
  TILECAST_DRIVER(event_elapsed_time(&milliseconds, start.get(), stop.get()));
  return 1e-3 * milliseconds;
}

// `nodes` pieces of work in a row, each depending on the one before, as stream capture orders them; or the
// same pieces enqueued one by one.
class ReplayBatch {
 public:
  ReplayBatch(const std::function<void()>& enqueue, CUstream stream, int nodes, Replay how)
      : enqueue_(enqueue), stream_(stream), nodes_(nodes) {
    if (how == Replay::graph) capture();
  }
  ~ReplayBatch() { release(); }
  ReplayBatch(const ReplayBatch&) = delete;
  ReplayBatch& operator=(const ReplayBatch&) = delete;
  int nodes() const { return nodes_; }
  void upload() {
    if (replay_) TILECAST_DRIVER(cuGraphUpload(replay_, stream_));
  }
  void replay() {
    if (replay_) {
      TILECAST_DRIVER(cuGraphLaunch(replay_, stream_));
    } else {
      enqueue_all();
    }
  }

 private:
  void enqueue_all() {
    for (int i = 0; i < nodes_; ++i)
      enqueue_();
  }
  void capture() {
    TILECAST_DRIVER(cuStreamBeginCapture(stream_, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    try {
      enqueue_all();
    } catch (...) {
      driver().cuStreamEndCapture(stream_, &graph_);  // or the stream could not be used again
      release();
      throw;
    }
    TILECAST_DRIVER(cuStreamEndCapture(stream_, &graph_));
    const CUresult result = driver().cuGraphInstantiate(&replay_, graph_, 0);
    if (result != CUDA_SUCCESS) release();
    check_driver(result, "cuGraphInstantiate", __FILE__, __LINE__);
  }
  void release() {
    if (replay_) driver().cuGraphExecDestroy(replay_);
    if (graph_) driver().cuGraphDestroy(graph_);
    replay_ = nullptr;
    graph_ = nullptr;
  }
  const std::function<void()>& enqueue_;
  CUgraph graph_ = nullptr;
  CUgraphExec replay_ = nullptr;
  CUstream stream_;
  int nodes_;
};

}  // namespace

Timing summarise_samples(std::vector<double> samples_s) {
  Timing timing;
  timing.median_s = quantile(samples_s, 0.5);
  timing.p10_s = quantile(samples_s, 0.1);
  timing.p90_s = quantile(samples_s, 0.9);
  timing.samples_s = std::move(samples_s);
  return timing;
}

int graph_nodes(double target_s, double kernel_s, int limit) {
  const double wanted = std::ceil(target_s / kernel_s);
  if (!(wanted > 1)) return 1;
  return wanted < limit ? static_cast<int>(wanted) : limit;
}

Timing time_work(Gpu& gpu, const std::function<void()>& enqueue, const TimingOptions& options, Replay how) {
  const auto stream = static_cast<CUstream>(gpu.stream());
  Event start, stop;

  // A first launch loads the code; three more give an estimate, which for short kernels is the launch rate.
  enqueue();
  gpu.synchronize();
  constexpr int trial_launches = 3;
  double kernel_s = timed(stream, start, stop,
                          [&] {
                            for (int i = 0; i < trial_launches; ++i)
                              enqueue();
                          }) /
                    trial_launches;

  // In a graph short kernels follow each other faster than launches do: a second, larger graph may be needed.
  auto batch = std::make_unique<ReplayBatch>(enqueue, stream,
                                             graph_nodes(options.target_s, kernel_s, max_graph_nodes), how);
  batch->upload();
  batch->replay();
  gpu.synchronize();
  kernel_s = timed(stream, start, stop, [&] { batch->replay(); }) / batch->nodes();
  const int nodes = graph_nodes(options.target_s, kernel_s, max_graph_nodes);
  if (nodes > batch->nodes() + batch->nodes() / 5) {
    batch = std::make_unique<ReplayBatch>(enqueue, stream, nodes, how);
    batch->upload();
  }

  for (int i = 0; i < options.warmup_replays; ++i)
    batch->replay();
  gpu.synchronize();
  std::vector<double> samples;
  for (int i = 0; i < std::max(options.replays, 1); ++i)
    samples.push_back(timed(stream, start, stop, [&] { batch->replay(); }) / batch->nodes());
  gpu.synchronize();
  Timing timing = summarise_samples(std::move(samples));
  timing.sm_clock_hz = gpu.sm_clock_hz();
  return timing;
}

Timing Gpu::time(const Kernel& kernel, const LaunchPlan& plan, std::span<const std::uint64_t> tensors,
                 const TimingOptions& options) {
  const PreparedLaunch launch(kernel.function(), plan, tensors);
  return time_work(
      *this, [&] { launch.enqueue(stream_); }, options);
}

}  // namespace tilecast
