#include "microbench/operand_reads.hpp"

#include <vector>

#include "tests/catch.hpp"

namespace tilecast {

namespace {

MachineWord ffma(unsigned to, unsigned a, unsigned b, unsigned c, unsigned reuse = 0) {
  return {0x7223ULL | std::uint64_t{to} << 16 | std::uint64_t{a} << 24 | std::uint64_t{b} << 32,
          c | std::uint64_t{reuse} << 58};
}

// Branches as nvdisasm -hex shows them: as they end the loop of 512 FFMAs of fma.cu, and one forward.
constexpr MachineWord back_sm90{0xffffffdc00f48947ULL,
                                0x000fec000383ffffULL};  // -0x2030 bytes: 514 and itself
constexpr MachineWord back_sm80{0xffffdfc000007947ULL,
                                0x000fea000383ffffULL};  // -0x2040 bytes: 515 and itself
constexpr MachineWord forward_sm90{0x0000002000108947ULL, 0x002fea0003800000ULL};  // +0x2040 bytes

// So many FFMAs that the branch, an instruction of its own, is below a third of a per cent.
OperandReads reads_of(const std::vector<MachineWord>& pattern) {
  std::vector<MachineWord> loop;
  while (loop.size() < 400)
    loop.insert(loop.end(), pattern.begin(), pattern.end());
  loop.push_back(back_sm90);
  return operand_reads(loop);
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

TEST_CASE("operand reads: the loop is what a branch goes back over, in either encoding") {
  std::vector<MachineWord> code = {{0x7918, 0}, forward_sm90};
  code.insert(code.end(), 600, ffma(90, 2, 4, 6));
  code.push_back(back_sm90);
  const auto loop = ffma_loop(code, 9);
  CHECK(loop.size() == 0x2030 / 16);
  CHECK(loop.data() + loop.size() == code.data() + code.size());
  CHECK(operand_reads(loop).ffmas == loop.size() - 1);
  code.back() = back_sm80;
  CHECK(ffma_loop(code, 8).size() == 0x2040 / 16);
}

TEST_CASE("operand reads: code without a loop has none") {
  CHECK(operand_reads({}).ffmas == 0);
  const std::vector<MachineWord> straight(8, ffma(90, 2, 4, 6));
  CHECK(ffma_loop(straight, 9).empty());
  CHECK(ffma_loop(straight, 8).empty());
}

TEST_CASE("operand reads: stall counts add up, none below one, yielding ones at least two") {
  const auto word = [](std::uint64_t stall, bool yields) {
    return MachineWord{0x7223, stall << 41 | std::uint64_t{yields ? 0U : 1U} << 45};
  };
  CHECK(stall_cycles(std::vector<MachineWord>{word(1, false), word(6, false), word(13, true)}) == 20);
  CHECK(stall_cycles(std::vector<MachineWord>{word(0, false), word(1, true)}) == 3);
  CHECK(stall_cycles({}) == 0);
}

}  // namespace tilecast
