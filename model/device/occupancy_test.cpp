#include "model/device/occupancy.hpp"

#include "model/device/load.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

LaunchShape shape(std::int64_t threads, std::int64_t registers, double shared = 0, std::int64_t blocks = 1) {
  LaunchShape launch;
  launch.blocks = blocks;
  launch.threads = threads;
  launch.registers = registers;
  launch.shared = Bytes{shared};
  return launch;
}

}  // namespace

TEST_CASE("occupancy: threads and blocks limit a small kernel", "[device]") {
  const auto h100 = load_device("h100");
  // 2048 threads = 64 warps; 256 threads = 8 warps.
  CHECK(occupancy(shape(256, 32), h100).blocks_per_sm == 8);
  CHECK(occupancy(shape(256, 32), h100).limiter == "threads");
  CHECK(occupancy(shape(32, 16), h100).blocks_per_sm == 32);
  CHECK(occupancy(shape(32, 16), h100).limiter == "blocks");
  // A block of 33 threads holds two warps: 64 / 2 = 32.
  CHECK(occupancy(shape(33, 16), h100).blocks_per_sm == 32);
  // 97 threads hold four warps: 64 / 4 = 16.
  CHECK(occupancy(shape(97, 16), h100).blocks_per_sm == 16);
}

TEST_CASE("occupancy: registers are granted a warp at a time, in each sub-core", "[device]") {
  const auto h100 = load_device("h100");
  // 255 registers x 32 = 8160, granted 8192: 16384 / 8192 = 2 warps a sub-core, 8 an SM.
  CHECK(occupancy(shape(256, 255), h100).blocks_per_sm == 1);
  CHECK(occupancy(shape(256, 255), h100).limiter == "registers");
  // 128 registers: 4096 a warp, 4 a sub-core, 16 an SM: two blocks of 8 warps.
  CHECK(occupancy(shape(256, 128), h100).blocks_per_sm == 2);
  // 129 registers: 4128 -> 4352 a warp, 3 a sub-core, 12 an SM: one block of 8 warps.
  CHECK(occupancy(shape(256, 129), h100).blocks_per_sm == 1);
  // 96 registers: 3072 a warp; 65536 / 3072 = 21 warps in one file, but only 5 in each quarter: 20 warps,
  // so blocks of 7 warps fit twice, not three times.
  CHECK(occupancy(shape(224, 96), h100).blocks_per_sm == 2);
  CHECK(occupancy(shape(1024, 65), h100).blocks_per_sm == 0);  // 2304 x 32 warps > 65536
  CHECK(occupancy(shape(1024, 64), h100).blocks_per_sm == 1);
  CHECK(occupancy(shape(32, 256), h100).blocks_per_sm == 0);  // 255 is the most a thread may have
}

TEST_CASE("occupancy: warps of a scheduler, by its registers and by threads", "[device]") {
  const auto h100 = load_device("h100");
  CHECK(warps_a_scheduler(shape(64, 255), h100) == 2);
  CHECK(warps_a_scheduler(shape(64, 148), h100) == 3);  // granted 152 x 32 = 4864
  CHECK(warps_a_scheduler(shape(64, 16), h100) == 16);
  CHECK(warps_a_scheduler(shape(64, 0), h100) == 16);
}

TEST_CASE("occupancy: the most registers are those with which the blocks still fit", "[device]") {
  const auto h100 = load_device("h100");
  for (const std::int64_t threads : {32, 48, 96, 256, 320, 512, 1024}) {
    for (std::int64_t blocks = 1; blocks * threads <= 2048 && blocks <= 32; ++blocks) {
      const auto most = most_registers(blocks, threads, *h100.registers_per_sm);
      CHECK(occupancy(shape(threads, most), h100).blocks_per_sm >= blocks);
      if (most < 255) CHECK(occupancy(shape(threads, most + 1), h100).blocks_per_sm < blocks);
    }
  }
  CHECK(most_registers(2, 256, 65536) == 128);
  CHECK(most_registers(1, 128, 65536) == 255);
}

TEST_CASE("occupancy: shared memory counts what the system takes", "[device]") {
  const auto h100 = load_device("h100");
  // 228 KiB an SM: (112 + 1) x 2 = 226 fits, (113.5 + 1) x 2 = 229 does not.
  CHECK(occupancy(shape(128, 32, 112 * 1024), h100).blocks_per_sm == 2);
  CHECK(occupancy(shape(128, 32, 113 * 1024), h100).blocks_per_sm == 2);
  CHECK(occupancy(shape(128, 32, 113 * 1024 + 1), h100).blocks_per_sm == 1);
  CHECK(occupancy(shape(128, 32, 113 * 1024 + 1), h100).limiter == "shared");
  CHECK(occupancy(shape(128, 32, 227 * 1024), h100).blocks_per_sm == 1);
  CHECK(occupancy(shape(128, 32, 227 * 1024 + 1), h100).blocks_per_sm == 0);

  const auto a100 = load_device("a100");
  // 164 KiB an SM, 163 a block: (40 + 1) x 4 = 164.
  CHECK(occupancy(shape(128, 32, 40 * 1024), a100).blocks_per_sm == 4);
  CHECK(occupancy(shape(128, 32, 40 * 1024 + 4), a100).blocks_per_sm == 3);
  CHECK(occupancy(shape(128, 32, 163 * 1024), a100).blocks_per_sm == 1);

  const auto gtx = load_device("gtx-1080-ti");
  // 96 KiB an SM, 48 a block, nothing reserved.
  CHECK(occupancy(shape(512, 64, 48 * 1024), gtx).blocks_per_sm == 2);
  CHECK(occupancy(shape(512, 32, 48 * 1024), gtx).limiter == "shared");
  CHECK(occupancy(shape(128, 32, 48 * 1024 + 1), gtx).blocks_per_sm == 0);
  // 24 KiB + 4 bytes is granted as 24 KiB + 256: three times, not four.
  CHECK(occupancy(shape(128, 32, 24 * 1024 + 4), gtx).blocks_per_sm == 3);
}

TEST_CASE("occupancy: the launch of Chang et al. cannot have 128 registers a thread", "[device]") {
  const auto gtx = load_device("gtx-1080-ti");
  CHECK(occupancy(shape(512, 64), gtx).blocks_per_sm == 2);
  CHECK(occupancy(shape(512, 128), gtx).blocks_per_sm == 1);
}

TEST_CASE("occupancy: waves are whole", "[device]") {
  const auto h100 = load_device("h100");
  // 132 SMs x 2 blocks = 264 at once.
  CHECK(occupancy(shape(256, 128, 0, 1), h100).waves == 1);
  CHECK(occupancy(shape(256, 128, 0, 264), h100).waves == 1);
  CHECK(occupancy(shape(256, 128, 0, 265), h100).waves == 2);
  const auto none = occupancy(shape(2048, 32, 0, 100), h100);
  CHECK(none.blocks_per_sm == 0);
  CHECK(none.waves == 0);
  CHECK(none.limiter == "threads");
}
