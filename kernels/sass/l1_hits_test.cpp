#include "kernels/sass/l1_hits.hpp"

#include "tests/catch.hpp"

using namespace tilecast::sass;

namespace {

// Accesses of one instruction each, of the sectors [first, first + count) in this epoch.
void add(LoadLog& log, int instruction, int epoch, std::uint64_t first, std::uint32_t count) {
  log.accesses.push_back({instruction, epoch, static_cast<std::uint32_t>(log.sectors.size()), count});
  for (std::uint32_t s = 0; s < count; ++s)
    log.sectors.push_back(first + s);
}

}  // namespace

TEST_CASE("L1 (S15): a sector that was loaded before is there, its line's others are not", "[sass]") {
  std::vector<LoadLog> warps(1);
  warps[0].most = 100;
  add(warps[0], 0, 0, 0, 2);
  add(warps[0], 1, 0, 0, 4);
  const auto hits = l1_hits(warps, 3, {32 * 1024});
  CHECK(hits.found == std::vector<double>{0, 0.5, 0});
  CHECK(hits.under_way == hits.found);  // no barrier between
}

TEST_CASE("L1 (S15): warps go in the order of their barriers", "[sass]") {
  std::vector<LoadLog> warps(2);
  for (auto& log : warps)
    log.most = 100;
  add(warps[0], 0, 1, 0, 4);  // finds what warp 1 has loaded before the barrier
  add(warps[1], 1, 0, 0, 4);
  CHECK(l1_hits(warps, 2, {32 * 1024}).found == std::vector<double>{1, 0});
  CHECK(l1_hits(warps, 2, {32 * 1024}).under_way == std::vector<double>{0, 0});
}

TEST_CASE("L1 (S15): what has been replaced is not there", "[sass]") {
  std::vector<LoadLog> warps(1);
  warps[0].most = 10000;
  for (int again = 0; again < 2; ++again) {
    for (std::uint64_t line = 0; line < 64; ++line)
      add(warps[0], again, 0, 4 * line, 4);
  }
  CHECK(l1_hits(warps, 2, {2048}).found == std::vector<double>{0, 0});  // 16 lines
  CHECK(l1_hits(warps, 2, {1024 * 1024}).found == std::vector<double>{0, 1});
}

TEST_CASE("L1 (S15): logs that are full end together", "[sass]") {
  std::vector<LoadLog> warps(2);
  warps[0].most = 1;
  warps[1].most = 100;
  add(warps[0], 0, 0, 0, 4);
  add(warps[1], 0, 0, 0, 4);
  add(warps[1], 0, 1, 0, 4);  // not looked at: what the other did then is not known
  CHECK(l1_hits(warps, 1, {32 * 1024}).found == std::vector<double>{0.5});
  // So it need not be kept.
  warps[1].until = warps[0].accesses.back().epoch;
  CHECK(warps[1].takes(0));
  CHECK_FALSE(warps[1].takes(1));
  CHECK_FALSE(warps[0].takes(0));  // full
}

TEST_CASE("L1 (S15): an access makes room for lines that have none", "[sass]") {
  std::vector<LoadLog> warps(1);
  warps[0].most = 100;
  add(warps[0], 0, 0, 2, 4);  // two sectors of each of two lines
  add(warps[0], 1, 0, 0, 2);  // the first line's other two
  add(warps[0], 2, 0, 6, 4);  // of the second line, and of a third
  CHECK(l1_hits(warps, 4, {32 * 1024}).new_lines == std::vector<double>{1, 0, 0.5, 0});
}

TEST_CASE("L1 (S15): a line that has come needs a place again for its other sectors", "[sass]") {
  const L1Room room{32 * 1024};  // 256 lines, of which 230 can be under way
  const auto new_lines = [&](int epoch, int others) {
    std::vector<LoadLog> warps(1);
    warps[0].most = 10000;
    add(warps[0], 0, 0, 0, 1);
    for (int line = 1; line <= others; ++line)
      add(warps[0], 1, 0, 4 * static_cast<std::uint64_t>(line), 1);
    add(warps[0], 2, epoch, 1, 1);
    return l1_hits(warps, 3, room).new_lines[2];
  };
  CHECK(new_lines(0, 0) == 0);  // under way
  CHECK(new_lines(1, 0) == 1);  // it has come: a barrier is between
  CHECK(new_lines(0, 200) == 0);
  CHECK(new_lines(0, 231) == 1);  // it has come: no more are under way
}

TEST_CASE("L1 (S15): other blocks' lines take the place of a block's own", "[sass]") {
  // Four lines are a set. One block has three of them when it comes back to the first. A second one that is
  // half its work ahead, and begins anew, has had five lines by then.
  std::vector<LoadLog> warps(1);
  warps[0].most = 100;
  const std::uint64_t lines[] = {0, 1, 2, 0};
  for (int i = 0; i < 4; ++i)
    add(warps[0], i, i, 4 * lines[i], 4);
  CHECK(l1_hits(warps, 4, {512}).found == std::vector<double>{0, 0, 0, 1});
  CHECK(l1_hits(warps, 4, {512, 2}).found == std::vector<double>{0, 0, 0, 0});
  CHECK(l1_hits(warps, 4, {512 * 1024, 2}).found == std::vector<double>{0, 0, 0, 1});
  CHECK(l1_hits(warps, 4, {512, 2}).new_lines == std::vector<double>{1, 1, 1, 1});
}
