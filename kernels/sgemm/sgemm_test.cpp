#include "kernels/sgemm/sgemm.hpp"

#include <cstring>
#include <set>

#include "kernels/sgemm/sgemm_cases.hpp"
#include "kernels/sgemm/sgemm_params.hpp"
#include "model/device/load.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

TEST_CASE("sgemm: supports 1 x 1 layers alone") {
  CHECK_FALSE(sgemm::supports(gemm_shape(5, 6, 7)));
  CHECK_FALSE(sgemm::supports({.N = 3, .C = 64, .H = 7, .W = 7, .M = 64, .K = 1}));
  CHECK(sgemm::supports({.C = 64, .H = 7, .W = 7, .M = 64, .K = 3})->reason == "K 3: only 1");
  CHECK(sgemm::supports({.C = 64, .H = 7, .W = 7, .M = 64, .K = 1, .stride = 2})->reason ==
        "stride 2: only 1");
  CHECK_FALSE(sgemm::supports({.C = 64, .H = 7, .W = 7, .M = 64, .K = 1, .dilation = 9}));
  CHECK(sgemm::supports({.C = 64, .H = 7, .W = 7, .M = 64, .K = 1, .pad = 1})->reason == "pad 1: only 0");
}

TEST_CASE("sgemm: a plan launches a block for each tile, image and part") {
  const auto device = load_device("h100");
  const Config config{{"BM", 128}, {"BN", 64},   {"BK", 16},    {"TM", 8},
                      {"TN", 4},   {"async", 1}, {"stages", 3}, {"split_k", 4}};
  const auto plan = sgemm::plan({.N = 2, .C = 320, .H = 14, .W = 14, .M = 200, .K = 1}, config, device);
  CHECK(plan.grid_x == 2 * 4 * 4);
  CHECK(plan.grid_y == 2);
  CHECK(plan.cluster_x == 4);
  CHECK(plan.threads == 256);
  CHECK(plan.dynamic_shared_bytes == 4 * 3 * (16 * 132 + 16 * 64));
  CHECK(plan.code.key() ==
        "sgemm/sgemm.cu:sgemm_kernel TILE_M=128 TILE_N=64 TILE_K=16 THREAD_M=8 THREAD_N=4 ASYNC=1 STAGES=3 "
        "SPLIT=1 VEC_A=1 VEC_B=4 VEC_C=4");
  sgemm::Params params;
  REQUIRE(plan.params.size() == sizeof(params));
  std::memcpy(&params, plan.params.data(), sizeof(params));
  CHECK(params.rows == 200);
  CHECK(params.columns == 196);
  CHECK(params.depth == 320);
  CHECK(params.tiles_m == 2);
  CHECK(params.parts == 4);
}

TEST_CASE("sgemm: vectors only where rows are aligned to them") {
  const auto device = load_device("h100");
  const Config config{{"BM", 64}, {"BN", 64},   {"BK", 8},     {"TM", 4},
                      {"TN", 4},  {"async", 0}, {"stages", 2}, {"split_k", 1}};
  const auto vectors = [&](std::int64_t columns, std::int64_t depth) {
    const auto defines = sgemm::plan(gemm_shape(64, columns, depth), config, device).code.defines;
    return 100 * defines[8].value + 10 * defines[9].value + defines[10].value;
  };
  CHECK(vectors(64, 64) == 444);
  CHECK(vectors(65, 64) == 411);
  CHECK(vectors(64, 66) == 144);
}

TEST_CASE("sgemm: the test cases are feasible and reach every path") {
  const auto device = load_device("h100");
  std::set<std::int64_t> blocks_m, blocks_n, steps, threads, stages, splits, vectors;
  for (const auto& [shape, c] : sgemm::test_cases()) {
    INFO(describe_shape(shape) << " " << describe_config(c));
    const auto refusal = sgemm::feasible(shape, c, device);
    INFO((refusal ? refusal->reason : ""));
    REQUIRE_FALSE(refusal);
    blocks_m.insert(c["BM"]);
    blocks_n.insert(c["BN"]);
    steps.insert(c["BK"]);
    threads.insert(100 * c["TM"] + c["TN"]);
    stages.insert(10 * c["async"] + c["stages"]);
    splits.insert(c["split_k"]);
    const auto defines = sgemm::plan(shape, c, device).code.defines;
    vectors.insert(10 * defines[8].value + defines[9].value);
  }
  CHECK(blocks_m == std::set<std::int64_t>{32, 64, 128, 256});
  CHECK(blocks_n == blocks_m);
  CHECK(steps == std::set<std::int64_t>{8, 16, 32});
  CHECK(threads == std::set<std::int64_t>{404, 408, 416, 804, 808, 816, 1604, 1608});
  CHECK(stages == std::set<std::int64_t>{1, 2, 12, 13, 14, 15});
  CHECK(splits == std::set<std::int64_t>{1, 2, 4, 8, 16});
  CHECK(vectors == std::set<std::int64_t>{11, 14, 41, 44});
}
