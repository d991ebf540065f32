#include "microbench/operand_patch.hpp"

#include <string>
#include <vector>

#include "microbench/operand_reads.hpp"
#include "model/support/errors.hpp"
#include "tests/catch.hpp"

namespace tilecast {

namespace {

MachineWord ffma(unsigned to, unsigned a, unsigned b, unsigned c) {
  return {0x7223ULL | std::uint64_t{to} << 16 | std::uint64_t{a} << 24 | std::uint64_t{b} << 32, c};
}

constexpr MachineWord back_branch{0x7947, 0};

// 200 FFMAs that write 100 to 103 and read 8 to 23.
std::vector<MachineWord> loop() {
  std::vector<MachineWord> words;
  for (unsigned i = 0; i < 200; ++i)
    words.push_back(ffma(100 + i % 4, 8 + i % 16, 8 + (i + 5) % 16, 100 + i % 4));
  return words;
}

OperandReads patched(std::vector<std::string_view> ffmas) {
  return operand_reads(with_operands(loop(), {"", std::move(ffmas)}));
}

}  // namespace

TEST_CASE("operand patch: the loop reads what the pattern says, and writes where it did") {
  CHECK(patched({"eee"}).busier_bank == 3);
  CHECK(patched({"eeo"}).busier_bank == 2);
  CHECK(patched({"eeo"}).other_bank == 1);
  CHECK(patched({"Eeo"}).busier_bank == Approx(1));
  CHECK(patched({"EOe"}).other_bank == Approx(0));
  CHECK(patched({"eee", "ooo"}).busier_bank == 1.5);
  const auto before = loop(), after = with_operands(before, {"", {"eeo"}});
  REQUIRE(after.size() == before.size());
  for (std::size_t i = 0; i < before.size(); ++i)
    CHECK((after[i].low & 0xffffff) == (before[i].low & 0xffffff));
}

TEST_CASE("operand patch: too few registers of a bank are refused") {
  const std::vector<MachineWord> few(8, ffma(100, 8, 10, 12));
  CHECK_THROWS_AS(with_operands(few, {"", {"eeo"}}), Error);
}

TEST_CASE("operand patch: loads are spread over the FFMAs and wait for nothing") {
  const MachineWord lds{0x7984, 0x00fe280000000000ULL | 15ULL << 52}, other{0x7810, 7};
  std::vector<MachineWord> words = {other};
  for (unsigned i = 0; i < 8; ++i)
    words.push_back(ffma(100 + i, 8, 9, 10));
  words.insert(words.end(), {lds, lds, back_branch});
  const auto spread = with_spread_loads(words);
  REQUIRE(spread.size() == words.size());
  CHECK(spread.front().low == other.low);
  CHECK(spread.back().low == back_branch.low);
  std::vector<std::size_t> places;
  unsigned next = 100;  // the FFMAs stay in order
  for (std::size_t i = 0; i < spread.size(); ++i) {
    if ((spread[i].low & 0xfff) == 0x984) {
      places.push_back(i);
      CHECK((spread[i].high >> 52 & 63) == 0);
      CHECK((spread[i].high & 0xff) == (lds.high & 0xff));
    } else if ((spread[i].low & 0xfff) == 0x223) {
      CHECK((spread[i].low >> 16 & 0xff) == next++);
    }
  }
  CHECK(places == std::vector<std::size_t>{4, 9});  // behind the third and the seventh FFMA
  words.pop_back();
  words.push_back(lds);
  CHECK_THROWS_AS(with_spread_loads(words), Error);  // 3 loads among 8
  CHECK_THROWS_AS(with_spread_loads(std::vector<MachineWord>{other}), Error);
}

TEST_CASE("operand patch: without results nothing but the FFMAs' targets changes") {
  const MachineWord other{0x7810, 7};
  const auto dropped = without_results(std::vector<MachineWord>{ffma(100, 8, 9, 10), other});
  CHECK((dropped[0].low >> 16 & 0xff) == 255);
  CHECK((dropped[0].low & 0xff00ffff) == (ffma(100, 8, 9, 10).low & 0xff00ffff));
  CHECK(dropped[0].high == ffma(100, 8, 9, 10).high);
  CHECK(dropped[1].low == other.low);
}

TEST_CASE("operand patch: the stall counts of loads become one, nothing else changes") {
  const MachineWord lds{0x7984, 4ULL << 41 | 1ULL << 45 | 7}, other{0x7810, 4ULL << 41};
  const auto eager = without_load_stalls(std::vector<MachineWord>{lds, other});
  CHECK(eager[0].low == lds.low);
  CHECK(eager[0].high == (1ULL << 41 | 1ULL << 45 | 7));
  CHECK(eager[1].high == other.high);
}

TEST_CASE("operand patch: code is replaced in place, and only where it occurs once") {
  const std::vector<MachineWord> one = {{1, 2}}, other = {{3, 4}};
  const auto bytes = [](const std::vector<MachineWord>& words) {
    return std::string(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(MachineWord));
  };
  const std::string cubin = "head" + bytes(one) + "tail";
  const auto result = replace_code(cubin, one, other);
  CHECK(std::string(result.begin(), result.end()) == "head" + bytes(other) + "tail");
  CHECK_THROWS_AS(replace_code(cubin, other, one), Error);
  CHECK_THROWS_AS(replace_code(cubin + bytes(one), one, other), Error);
}

}  // namespace tilecast
