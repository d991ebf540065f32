// What blocks that walk the same factor again and again read of DRAM (EQUATIONS.md A5) against the profiler's
// counters of large products.

#include <cmath>
#include <string>

#include "kernels/family.hpp"
#include "model/device/load.hpp"
#include "model/support/csv.hpp"
#include "tests/catch.hpp"
#include "validation/counters/cases.hpp"
#include "validation/counters/predicted_launch.hpp"

using namespace tilecast;

TEST_CASE("walks (A5): bytes of DRAM of large products, whose blocks drift apart, are mostly within 20 %") {
  const std::string path =
      TILECAST_SOURCE_DIR "/microbench/results/nvidia-h200/experiments/product_walks.csv";
  const auto device = load_device("h200");
  const auto text = read_file(path);
  const auto runs = read_counter_cases(text, path, device);
  const auto table = parse_csv(text, path);
  REQUIRE(runs.size() == table.rows.size());
  int close = 0, far = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const double counted = csv_number(table, table.rows[i], *table.column("dram_read_bytes"));
    const double model =
        predicted_launch(describe_kernel(*runs[i].family, runs[i].shape, runs[i].config, device), device)
            .dram_read_bytes;
    INFO(describe_shape(runs[i].shape) << " " << describe_config(runs[i].config) << ": " << model);
    CHECK(model > 0.5 * counted);
    CHECK(model < 4 * counted);
    const double off = std::abs(model / counted - 1);
    close += off < 0.2 ? 1 : 0;
    far += off > 0.5 ? 1 : 0;
  }
  CHECK(runs.size() == 42);
  CHECK(close == 24);
  CHECK(far == 7);
}
