// What of a run can be tested without a GPU: compiling ahead, progress, statuses.

#include <cmath>
#include <limits>
#include <span>
#include <sstream>

#include "model/support/embedded.hpp"
#include "tests/catch.hpp"
#include "validation/baselines/baseline.hpp"
#include "validation/compile_ahead.hpp"
#include "validation/gpu_reference.hpp"
#include "validation/reference.hpp"
#include "validation/run_monitor.hpp"

namespace tilecast {
std::span<const EmbeddedFile> reference_sources();
}

using namespace tilecast;

TEST_CASE("validation: the reference kernels compile, ahead of their use and each once", "[run]") {
  std::vector<Specialisation> codes;
  for (const char* entry :
       {"fill_random", "convolve_float64", "compare_float64", "swap_inner", "fill_random"})
    codes.push_back({"device/reference.cu", entry, {}});
  codes.push_back({"device/absent.cu", "nothing", {}});
  CompileAhead ahead(codes, reference_sources(), Architecture{9, 0}, 2);
  CHECK(ahead.size() == 5);
  std::string problem;
  try {
    compiler_version();
  } catch (const Error& error) {
    problem = error.what();  // no NVRTC here: then every outcome says so
  }
  for (int i = 0; i < 5; ++i) {
    CAPTURE(ahead.get(codes[static_cast<std::size_t>(i)]).problem);
    CHECK(ahead.get(codes[static_cast<std::size_t>(i)]).code.has_value() == problem.empty());
  }
  CHECK_FALSE(ahead.get(codes[5]).code);
  CHECK_FALSE(ahead.get(codes[5]).problem.empty());
}

TEST_CASE("validation: dropping what was to be compiled does not wait for all of it", "[run]") {
  std::vector<Specialisation> codes;
  for (int i = 0; i < 10'000; ++i)
    codes.push_back({"device/absent.cu", "nothing", {{"I", i}}});
  const CompileAhead ahead(codes, reference_sources(), Architecture{9, 0}, 2);
  CHECK(ahead.size() == 10'000);
}

TEST_CASE("wrong_result: each way to be wrong has its words", "[run]") {
  CHECK(wrong_result({.max_rel_error = 1e-7}, 1e-6) == "");
  CHECK(wrong_result({.max_rel_error = 0.5}, 1e-6) == "wrong result (max_rel_error 0.5 above 1e-06)");
  CHECK(wrong_result({.max_rel_error = std::numeric_limits<double>::infinity(), .not_finite = 3}, 1) ==
        "wrong result (3 outputs not finite)");
  CHECK(wrong_result({.wrote_past_the_end = true}, 1) == "wrong result (wrote past the end of the output)");
  CHECK(wrong_result({.max_rel_error = std::nan("")}, 1) != "");
}

TEST_CASE("run monitor: a limit of nothing is reached at once, and the last row is always told", "[run]") {
  std::ostringstream err;
  RunMonitor monitor(err, 0.0, false);
  CHECK(monitor.out_of_time());
  monitor.begin(2);
  monitor.row_done("a");
  CHECK(err.str().empty());
  monitor.row_done("b");
  CHECK(err.str().starts_with("validate: 2 rows of 2, 0.0 min left"));
  CHECK_FALSE(RunMonitor(err, std::nullopt, true).out_of_time());
}

TEST_CASE("baselines: cuBLAS is always there, names are distinct", "[run]") {
  std::vector<std::string_view> names;
  for (const auto& entry : baseline_entries())
    names.push_back(entry.name);
  CHECK(std::find(names.begin(), names.end(), "cublas_sgemm") != names.end());
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
}
