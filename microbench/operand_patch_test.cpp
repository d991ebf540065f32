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
