// Needs a GPU: each library that is installed gives at least one right result on a small layer.

#include <set>

#include "kernels/runtime/timing.hpp"
#include "tests/catch.hpp"
#include "validation/baselines/baseline.hpp"
#include "validation/reference.hpp"

using namespace tilecast;

TEST_CASE("baselines: right results in true float32, poison overwritten", "[gpu]") {
  forbid_tf32();
  Gpu gpu;
  GpuReference reference(gpu);
  const ConvShape layer = GENERATE(
      ConvShape{.N = 2, .C = 16, .H = 14, .W = 14, .M = 32, .K = 3, .stride = 1, .pad = 1},
      ConvShape{.N = 2, .C = 16, .H = 14, .W = 14, .M = 32, .K = 3, .stride = 1, .pad = 2, .dilation = 2});
  CAPTURE(describe_shape(layer));
  for (const auto& entry : baseline_entries()) {
    CAPTURE(entry.name);
    std::unique_ptr<Baseline> baseline;
    try {
      baseline = entry.open(gpu, reference);
    } catch (const UnavailableError& error) {
      WARN(entry.name << " not tested: " << error.what());
      continue;
    }
    CHECK_FALSE(baseline->version().empty());
    auto tensors = reference.make_tensors(baseline->tensor_shape(layer), 1);
    int right = 0;
    std::set<BaselineConfig> seen;
    baseline->each_candidate(
        tensors, [](const auto&) { return true; },
        [&](const BaselineCandidate& candidate) {
          CHECK(seen.insert(candidate.config).second);
          CHECK(candidate.config.size() == baseline->axes().size());
          CHECK(candidate.refusal.empty() == static_cast<bool>(candidate.enqueue));
          if (!candidate.enqueue) return;
          reference.poison(tensors.output);
          try {
            candidate.enqueue();
          } catch (const LibraryRefusal&) {
            return;
          }
          if (candidate.finish) candidate.finish();
          CHECK(wrong_result(reference.check(tensors), library_tolerance(tensors.shape)) == "");
          CHECK(time_work(gpu, candidate.enqueue, {.target_s = 1e-4, .replays = 2}).median_s > 0);
          ++right;
        });
    CHECK(right > 0);
  }
}
