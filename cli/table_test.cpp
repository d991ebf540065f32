#include "cli/table.hpp"

#include "tests/catch.hpp"

using namespace tilecast;

namespace {

ResultTable example() {
  ResultTable table({{"name"}, {"time_s", "time [ms]", 3, 1e-3}, {"blocks"}, {"feasible"}});
  table.add({"short", 1.0 / 3, std::int64_t{7}, true});
  table.add({"a \"longer\", name", Cell{}, std::int64_t{1234}, false});
  return table;
}

}  // namespace

TEST_CASE("table: numbers to the right, text to the left, headers with units", "[cli]") {
  CHECK(example().text() ==
        "name              time [ms]  blocks  feasible\n"
        "short                   333       7  yes\n"
        "a \"longer\", name          -    1234  no\n");
}

TEST_CASE("table: csv keeps every bit and quotes what needs it", "[cli]") {
  CHECK(example().csv() ==
        "name,time_s,blocks,feasible\n"
        "short,0.3333333333333333,7,yes\n"
        "\"a \"\"longer\"\", name\",,1234,no\n");
}

TEST_CASE("table: json is an array of objects, jsonl an object a line", "[cli]") {
  const std::string first = R"({"name":"short","time_s":0.3333333333333333,"blocks":7,"feasible":true})";
  const std::string second = R"({"name":"a \"longer\", name","time_s":null,"blocks":1234,"feasible":false})";
  CHECK(example().json() == "[\n  " + first + ",\n  " + second + "\n]\n");
  CHECK(example().jsonl() == first + "\n" + second + "\n");
  CHECK(ResultTable({{"name"}}).json() == "[]\n");
}

TEST_CASE("table: a row of another length is a programmer's error", "[cli]") {
  ResultTable table({{"a"}, {"b"}});
  CHECK_THROWS_AS(table.add({"x"}), std::invalid_argument);
}

TEST_CASE("table: width is counted in characters", "[cli]") {
  ResultTable table({{"who"}, {"n"}});
  table.add({"Müller", std::int64_t{1}});
  table.add({"Miller", std::int64_t{2}});
  CHECK(table.text() == "who     n\nMüller  1\nMiller  2\n");
}

TEST_CASE("for_people: prefixes as the field uses them", "[cli]") {
  CHECK(for_people(484e9, "bytes/s") == "484 GB/s");
  CHECK(for_people(3.35e12, "bytes/s") == "3.35 TB/s");
  CHECK(for_people(1480e6, "Hz") == "1480 MHz");
  CHECK(for_people(98304, "bytes") == "96 KiB");
  CHECK(for_people(84373, "bytes") == "84373 bytes");
  CHECK(for_people(150109880320, "bytes") == "139.801 GiB");  // an H200's DRAM
  CHECK(for_people(84373, "bytes") == "84373 bytes");
  CHECK(for_people(2883584, "bytes") == "2.75 MiB");
  CHECK(for_people(0, "bytes") == "0 bytes");
  CHECK(for_people(1.26e-6, "s") == "1.26 us");
  CHECK(for_people(258, "cycles") == "258 cycles");
  CHECK(for_people(65536, "count") == "65536");
}
