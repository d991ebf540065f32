#include "validation/baselines/baseline_runner.hpp"

#include <fmt/format.h>

#include <optional>
#include <ostream>

#include "kernels/runtime/timing.hpp"
#include "validation/reference.hpp"

namespace tilecast {
namespace {

// By a graph where the call can be captured, else by events around a batch of calls; then the status says so.
Timing time_library(Gpu& gpu, const BaselineCandidate& candidate, const TimingOptions& options,
                    std::string& status) {
  try {
    return time_work(gpu, candidate.enqueue, options, Replay::graph);
  } catch (const LibraryRefusal&) {
    // It ran a moment ago: what it refuses is the capture.
  } catch (const CudaError&) {
    gpu.synchronize();  // throws when more than the capture is broken
  }
  status = "ok (not captured: timed by events)";
  return time_work(gpu, candidate.enqueue, options, Replay::stream);
}

// Some library algorithms trade accuracy for speed (large Winograd tiles). They computed the convolution, so
// they are timed and count as rivals; the status says what they lost.
bool is_inaccurate(const OutputCheck& check) {
  return !check.wrote_past_the_end && check.not_finite == 0 && check.max_rel_error < 0.05;
}

void measure(Gpu& gpu, GpuReference& reference, const BaselineCandidate& candidate, LayerTensors& tensors,
             const RunOptions& options, MeasuredRow& row) {
  reference.poison(tensors.output);
  candidate.enqueue();
  if (candidate.finish) candidate.finish();
  const auto check = reference.check(tensors);
  row.max_rel_error = check.max_rel_error;
  const auto doubt = wrong_result(check, library_tolerance(tensors.shape));
  const bool inaccurate = !doubt.empty() && is_inaccurate(check);
  row.status = inaccurate || doubt.empty() ? "ok" : doubt;
  if (row.status != "ok") return;
  const auto timing = time_library(gpu, candidate, options.timing, row.status);
  row.time = Seconds{timing.median_s};
  row.time_p10 = Seconds{timing.p10_s};
  row.time_p90 = Seconds{timing.p90_s};
  row.samples = static_cast<long>(timing.samples_s.size());
  row.sm_clock = Frequency{timing.sm_clock_hz};
  if (inaccurate) row.status += fmt::format(" (inaccurate: max_rel_error {:.2g})", check.max_rel_error);
}

MeasuredRow row_of(const OpenBaseline& baseline, const SuiteLayer& layer, const BaselineConfig& config,
                   const RunOptions& options) {
  MeasuredRow row;
  row.family = baseline.name;
  row.layer = layer.layer.id;
  row.suite = layer.suite;
  row.problem = layer.layer.shape;
  row.config = config;
  row.tool_version = options.tool_version;
  return row;
}

}  // namespace

RunTotals run_baselines(Gpu& gpu, GpuReference& reference, std::span<const OpenBaseline> baselines,
                        std::span<const SuiteLayer> layers, Writers& writers, const RunOptions& options,
                        RunMonitor& monitor, std::ostream& err) {
  RunTotals totals;
  monitor.begin(std::nullopt);
  for (const auto& layer : layers) {
    LayerTensors tensors;
    for (const auto& baseline : baselines) {
      if (monitor.out_of_time()) {
        totals.stopped = true;
        return totals;
      }
      const auto shape = baseline.library->tensor_shape(layer.layer.shape);
      if (tensors.shape != shape || tensors.output.bytes() == 0) {
        tensors = {};  // freed before the next are taken
        tensors = reference.make_tensors(shape, options.seed);
      }
      auto& writer = *writers.find(baseline.name)->second;
      const auto wanted = [&](const BaselineConfig& config) {
        if (monitor.out_of_time()) totals.stopped = true;
        return !totals.stopped && !writer.has(row_of(baseline, layer, config, options));
      };
      const auto visit = [&](const BaselineCandidate& candidate) {
        auto row = row_of(baseline, layer, candidate.config, options);
        row.status = candidate.refusal;
        bool wrong = false;
        if (candidate.enqueue) {
          try {
            measure(gpu, reference, candidate, tensors, options, row);
            wrong = !row.status.starts_with("ok");
          } catch (const LibraryRefusal& refusal) {
            row.status = refusal.status;
            gpu.synchronize();
          } catch (const CudaError& error) {
            row.status = error.name;
            writer.append(row);
            err << fmt::format("validate: {}: {}\n", row_key(row), error.what());
            gpu.synchronize();  // throws when the context is lost: nothing more can run in this process
            ++totals.rows;
            ++totals.wrong;
            return;
          }
        }
        writer.append(row);
        ++totals.rows;
        if (wrong) {
          ++totals.wrong;
          err << fmt::format("validate: {}: {}\n", row_key(row), row.status);
        } else if (!row.time) {
          ++totals.refused;
        }
        monitor.row_done(fmt::format("{} {}", row.family, layer.layer.id));
      };
      try {
        baseline.library->each_candidate(tensors, wanted, visit);
      } catch (const LibraryRefusal& refusal) {
        // The layer itself cannot be described to the library.
        err << fmt::format("validate: {} {}: {}\n", baseline.name, layer.layer.id, refusal.what());
        ++totals.refused;
      }
    }
  }
  return totals;
}

}  // namespace tilecast
