#include "microbench/operand_reads.hpp"

#include <vector>

#include "tests/catch.hpp"

namespace tilecast {

namespace {

MachineWord ffma(unsigned to, unsigned a, unsigned b, unsigned c, unsigned reuse = 0) {
  return {0x7223ULL | std::uint64_t{to} << 16 | std::uint64_t{a} << 24 | std::uint64_t{b} << 32,
          c | std::uint64_t{reuse} << 58};
}

// A branch back over `instructions` and itself, as nvdisasm shows it: offset -16 (instructions + 1) bytes.
MachineWord back(std::size_t instructions) {
  const std::uint64_t offset = static_cast<std::uint64_t>(-4 * static_cast<std::int64_t>(instructions + 1));
  return {0x947ULL | (offset & 0xff) << 16 | (offset >> 8) << 34, offset >> 38 & 0x3ffff};
}

// So many FFMAs that the branch, an instruction of its own, is below a third of a per cent.
OperandReads reads_of(const std::vector<MachineWord>& pattern) {
  std::vector<MachineWord> code = {{0x7918, 0}};  // before the loop
  while (code.size() < 400)
    code.insert(code.end(), pattern.begin(), pattern.end());
  code.push_back(back(code.size() - 1));
  return operand_reads(code);
}

constexpr double loop_share = 0.004;

}  // namespace

TEST_CASE("operand reads: fresh operands cost as many cycles as the busier bank has reads") {
  CHECK(reads_of({ffma(90, 2, 4, 6)}).cycles == Approx(3).epsilon(loop_share));
  CHECK(reads_of({ffma(90, 2, 4, 7)}).cycles == Approx(2).epsilon(loop_share));
  const OperandReads reads = reads_of({ffma(90, 2, 5, 7)});
  CHECK(reads.busier_bank == 2);
  CHECK(reads.other_bank == 1);
  CHECK(reads.instructions == reads.ffmas + 1);
}

TEST_CASE("operand reads: a reused operand, a repeated one and the zero register cost nothing") {
  const OperandReads reused = reads_of({ffma(90, 2, 4, 7, 1)});
  CHECK(reused.busier_bank == Approx(1));
  CHECK(reused.cycles == Approx(1).epsilon(loop_share));
  CHECK(reads_of({ffma(90, 4, 4, 7)}).cycles == Approx(1).epsilon(loop_share));
  CHECK(reads_of({ffma(90, 255, 4, 7)}).cycles == Approx(1).epsilon(loop_share));
  CHECK(reads_of({ffma(90, 2, 4, 6, 1)}).cycles == Approx(2).epsilon(loop_share));
}

TEST_CASE("operand reads: one operand a slot and bank is kept, not two") {
  // Slot a alternates between two even registers: neither is there when it is wanted again.
  CHECK(reads_of({ffma(90, 2, 4, 7, 1), ffma(91, 6, 4, 7, 1)}).busier_bank == 2);
  // Between an even and an odd one: both are.
  CHECK(reads_of({ffma(90, 2, 4, 7, 1), ffma(91, 5, 4, 7, 1)}).busier_bank == Approx(1));
}

TEST_CASE("operand reads: conflicts in alternating banks overlap, runs of them do so only where they meet") {
  // Measured on the H200: 84.8 FFMAs a cycle and SM, 1.5 cycles.
  const auto even = ffma(90, 2, 4, 6), odd = ffma(91, 3, 5, 7);
  CHECK(reads_of({even, odd}).cycles == Approx(1.5).epsilon(loop_share));
  // Measured: 63.7, two cycles.
  CHECK(reads_of({even, even, odd, odd}).cycles == Approx(2).epsilon(2 * loop_share));
  // Measured: 46.4, 2.76 cycles.
  std::vector<MachineWord> runs(8, even);
  runs.insert(runs.end(), 8, odd);
  CHECK(reads_of(runs).cycles == Approx(2.76).epsilon(0.01));
}

TEST_CASE("operand reads: code without a loop of FFMAs has none") {
  CHECK(operand_reads({}).ffmas == 0);
  const std::vector<MachineWord> straight(8, ffma(90, 2, 4, 6));
  CHECK(operand_reads(straight).ffmas == 0);
}

}  // namespace tilecast
