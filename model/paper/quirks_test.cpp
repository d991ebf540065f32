#include "model/paper/quirks.hpp"

#include <string>

#include "model/support/errors.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::paper;

TEST_CASE("quirks: the first value of every switch is the default", "[paper]") {
  for (const auto& s : quirk_switches()) {
    Quirks quirks{FmaCount::fmas,
                  MapUnit::bytes,
                  Latency::alternative,
                  Registers::resident,
                  ChannelSplit::clusters,
                  LowerBound::exact,
                  Pairing::full_grid,
                  MTileRounding::up,
                  64,
                  256};
    set_quirk(quirks, s.name, s.values.front());
    const Quirks paper;
    const int defaults = (quirks.fma_count == paper.fma_count) + (quirks.map_unit == paper.map_unit) +
                         (quirks.latency == paper.latency) + (quirks.registers == paper.registers) +
                         (quirks.channel_split == paper.channel_split) +
                         (quirks.lower_bound == paper.lower_bound) + (quirks.pairing == paper.pairing) +
                         (quirks.m_tile_rounding == paper.m_tile_rounding) +
                         (quirks.segment_bytes == paper.segment_bytes) + (quirks.wx_tile == paper.wx_tile);
    INFO(s.name);
    CHECK(defaults == 1);
  }
}

TEST_CASE("quirks: every other value changes exactly its field", "[paper]") {
  Quirks q;
  set_quirk(q, "fma-count", "fmas");
  CHECK(q.fma_count == FmaCount::fmas);
  set_quirk(q, "map-unit", "bytes");
  CHECK(q.map_unit == MapUnit::bytes);
  set_quirk(q, "latency", "alternative");
  CHECK(q.latency == Latency::alternative);
  set_quirk(q, "registers", "resident");
  CHECK(q.registers == Registers::resident);
  set_quirk(q, "channel-split", "clusters");
  CHECK(q.channel_split == ChannelSplit::clusters);
  set_quirk(q, "lower-bound", "exact");
  CHECK(q.lower_bound == LowerBound::exact);
  set_quirk(q, "pairing", "full-grid");
  CHECK(q.pairing == Pairing::full_grid);
  set_quirk(q, "m-tile-rounding", "up");
  CHECK(q.m_tile_rounding == MTileRounding::up);
  set_quirk(q, "segment", "64");
  CHECK(q.segment_bytes == 64);
  set_quirk(q, "wx-tile", "256");
  CHECK(q.wx_tile == 256);
}

TEST_CASE("quirks: wrong names and values say what is known", "[paper]") {
  Quirks q;
  CHECK_THROWS_WITH(set_quirk(q, "latency", "dram"),
                    "--latency: 'dram', expected one of profile, alternative");
  CHECK_THROWS_AS(set_quirk(q, "latencey", "profile"), UsageError);
}

TEST_CASE("quirks: the pairing names the suite (quirk 7)", "[paper]") {
  CHECK(paired_suite("chang-single", {}) == "chang-single");
  CHECK(paired_suite("chang-multi", {.pairing = Pairing::full_grid}) == "chang-multi-grid");
  CHECK(paired_suite("vgg16", {.pairing = Pairing::full_grid}) == "vgg16");
}
