#include "model/paper/partitions.hpp"

#include <algorithm>

#include "model/paper/paper_test_device.hpp"
#include "model/workload/suites.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::paper;

namespace {

const auto device = device_constants(gtx_1080_ti());

}  // namespace

TEST_CASE("partitions: single channel lists every P and every Q, one chosen", "[paper]") {
  const ConvShape s{.C = 1, .H = 1024, .W = 1024, .M = 32, .K = 3};
  const auto rows = all_partitions(s, device);
  REQUIRE(rows.size() == 1024 + 32);
  CHECK(rows[0].config == Config{{"method", 1}, {"P", 1}, {"Q", 1}});
  CHECK(rows[46].config == Config{{"method", 1}, {"P", 47}, {"Q", 1}});
  CHECK(rows[46].chosen);
  CHECK(rows[46].feasible);  // by the printed bound
  CHECK(rows[46].shared.value() == 98376);
  CHECK(rows[46].fma_per_sm == 9 * 2 * 22 * 1024);
  CHECK(rows[46].hides_latency);
  CHECK_FALSE(rows[45].feasible);
  CHECK(rows[45].reason == "P is below its lower bound 47 (D1 = 102472 B, shared memory 98304 B)");
  CHECK(rows[1024].config == Config{{"method", 2}, {"P", 1}, {"Q", 1}});
  CHECK(rows[1024].reason == "no Q fits shared memory (D2 = 160896 B, shared memory 98304 B)");
  CHECK_FALSE(rows[400].hides_latency);  // 3 rows: 9 x 2 x 3 x 1024 = 55,296 < 66,048

  const auto exact = all_partitions(s, device, {.lower_bound = LowerBound::exact});
  CHECK_FALSE(exact[46].feasible);
  CHECK(exact[48].chosen);
}

TEST_CASE("partitions: too little work to prefetch means the volume method (P10)", "[paper]") {
  const auto p = chosen_partition({.C = 1, .H = 28, .W = 28, .M = 32, .K = 1}, device);
  CHECK(p.config == Config{{"method", 2}, {"P", 1}, {"Q", 1}});
  CHECK(p.fma_per_sm == 32 * 28);
  CHECK_FALSE(p.hides_latency);
  CHECK_FALSE(p.reaches_v_s);  // 28 x 240 = 6,720 B < 86,016 B
  CHECK(chosen_partition({.C = 1, .H = 28, .W = 28, .M = 512, .K = 3}, device).reaches_v_s);  // 28 x 4,044 B
}

TEST_CASE("partitions: several channels list every S, M' and W'x", "[paper]") {
  const ConvShape s{.C = 512, .H = 14, .W = 14, .M = 512, .K = 7};
  const auto rows = all_partitions(s, device);
  REQUIRE(rows.size() == 3 * 512 * 4);
  CHECK(std::ranges::count_if(rows, &Partition::chosen) == 1);
  const auto row = [&](std::int64_t S, std::int64_t M, std::int64_t Wx) {
    const Config config{{"S_bytes", S}, {"M_tile", M}, {"Wx_tile", Wx}};
    return *std::ranges::find(rows, config, &Partition::config);
  };
  CHECK(row(32, 64, 128).chosen);
  CHECK(row(32, 64, 128).hides_latency);  // 64 stands for 64.5
  CHECK_FALSE(row(32, 63, 128).hides_latency);
  CHECK(row(128, 382, 32).feasible);  // 48,896 + 5 x 32 = 49,056 of 49,152
  CHECK_FALSE(row(128, 383, 32).feasible);
  CHECK(row(128, 383, 32).reason == "the data set, 49184 B, exceeds half of shared memory, 49152 B");
}

TEST_CASE("partitions: chosen alone equals chosen among all, on every layer of the paper", "[paper]") {
  for (const auto* name : {"chang-single", "chang-single-grid", "chang-multi"}) {
    for (const auto& layer : load_suite(name).layers) {
      INFO(layer.id);
      const auto rows = all_partitions(layer.shape, device);
      REQUIRE(std::ranges::count_if(rows, &Partition::chosen) == 1);
      const auto found = std::ranges::find_if(rows, &Partition::chosen);
      const auto alone = chosen_partition(layer.shape, device);
      CHECK(alone.config == found->config);
      CHECK(alone.shared == found->shared);
      for (const auto& r : rows)
        CHECK(r.feasible == r.reason.empty());
    }
  }
}

TEST_CASE("partitions: what the paper has no answer for is refused with the reason", "[paper]") {
  CHECK_FALSE(refusal({.C = 3, .H = 8, .W = 8, .M = 4, .K = 3}));
  CHECK(refusal({.N = 2, .H = 8, .W = 8, .M = 4, .K = 3}) == "the paper's model has one image, not N = 2");
  CHECK(refusal({.H = 8, .W = 8, .stride = 2}) == "the paper's model has stride 1, not 2");
  CHECK(refusal({.H = 8, .W = 8, .pad = 1}) == "the paper's model has no padding, not 1");
  CHECK(refusal({.H = 8, .W = 8, .K = 3, .dilation = 2}) == "the paper's model has a dilation of 1, not 2");
}
