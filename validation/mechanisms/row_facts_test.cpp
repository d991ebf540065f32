#include "validation/mechanisms/row_facts.hpp"

#include "model/device/load.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

FactRow row(std::string layer, double a, double b, double error) {
  return {{{{"A", a}, {"B", b}, {"K", 3}}}, std::move(layer), error};
}

// Four layers; rows with A = 1 are 30 % slow, with A = 1 and B = 2 45 %, all others right.
std::vector<FactRow> rows() {
  std::vector<FactRow> all;
  for (const char* layer : {"one", "two", "three", "four"}) {
    for (const double a : {1, 2, 3}) {
      for (const double b : {1, 1, 1, 2, 2, 2})
        all.push_back(row(layer, a, b, a == 1 ? (b == 2 ? 0.45 : 0.3) : 0.01));
    }
  }
  return all;
}

}  // namespace

TEST_CASE("row facts: axes first, then the layer, then the launch") {
  KernelDescription kernel;
  kernel.launch.blocks = 300;
  kernel.launch.threads = 72;
  kernel.launch.registers = 64;
  const auto facts = row_facts({.C = 2, .H = 9, .W = 8, .M = 4, .K = 3}, Config{{"K", 7}, {"P", 5}}, kernel,
                               load_device("h100"));
  CHECK(facts.find("P") == 5.0);
  CHECK(facts.find("K") == 7.0);  // the axis of that name, not the filter's size
  CHECK(facts.find("out_h") == 7.0);
  CHECK(facts.find("input_bytes") == 4 * 2 * 9 * 8.0);
  CHECK(facts.find("output_bytes") == 4 * 4 * 7 * 6.0);
  CHECK(facts.find("blocks") == 300.0);
  CHECK(facts.find("warps") == 3.0);
  CHECK(facts.find("blocks_per_sm") == 10.0);  // 16 warps of 64 registers a scheduler's quarter: 32 warps / 3
  CHECK(facts.find("waves") == 1.0);
  CHECK(facts.find("sms") == 132.0);
  CHECK_FALSE(facts.find("Q"));
  for (const auto name : common_facts())
    CHECK(facts.find(name).has_value());
}

TEST_CASE("like rows: what they share and are all off by; two things only where that says more") {
  const auto all = rows();
  const auto found = RowGroups(all).like(5);  // layer one, A = 1, B = 2: the median of A = 1 is 37.5 %
  REQUIRE(all[5].signed_error == 0.45);
  REQUIRE(found);
  CHECK(found->what == "A = 1");
  CHECK(found->rows == 24);
  CHECK(found->layers == 4);
  CHECK(found->median_error == Approx(0.375));
  CHECK(*found->elsewhere == Approx(0.01));
  CHECK(like_rows_text(*found) == "A = 1 (24 rows of 4 layers): median +37.5 %, others +1.0 %");
  auto sharper = all;
  for (auto& one : sharper) {
    if (one.signed_error == 0.3) one.signed_error = 0.2;
  }
  CHECK(RowGroups(sharper).like(5)->what == "A = 1, B = 2");  // 45 % against 32.5 %
}

TEST_CASE("like rows: a layer that is off as a whole; a row that stands alone; the other direction") {
  auto all = rows();
  for (auto& one : all) {
    one.signed_error = one.layer == "two" ? -0.25 : 0.02;
  }
  const auto found = RowGroups(all).like(20);
  REQUIRE(all[20].layer == "two");
  REQUIRE(found);
  CHECK(found->what == "layer two");
  CHECK(found->layers == 1);
  CHECK(found->median_error == Approx(-0.25));
  all[0].signed_error = 0.7;  // alone: every group it is in has a median of 2 % or less
  CHECK_FALSE(RowGroups(all).like(0));
  const std::vector<FactRow> few(9, row("one", 1, 1, 0.5));  // fewer than ten
  CHECK_FALSE(RowGroups(few).like(0));
}
