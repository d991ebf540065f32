#include "kernels/simulation/l1_room.hpp"

#include "model/device/load.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

TEST_CASE("l1 room: shared memory leaves 28 KB, for as many blocks as an SM gets") {
  const auto device = load_device("h200");  // 132 SMs
  const LaunchShape launch{.blocks = 264, .threads = 128, .registers = 32, .shared = Bytes{16384}};
  const auto two = l1_room(launch, device);
  CHECK(two.bytes == 28 * 1024);
  CHECK(two.blocks == 2);
  CHECK(sass::lines_at_once(two) == Approx(0.9 * 224));

  auto few = launch;
  few.blocks = 5;
  CHECK(l1_room(few, device).blocks == 1);

  // 2048 threads an SM: 16 blocks of 128, whose 17 KB fit 13 times into 228 KB.
  auto many = launch;
  many.blocks = 132 * 100;
  CHECK(l1_room(many, device).blocks == 13);
}

TEST_CASE("l1 room: without shared memory L1 has all of the store but what each block reserves") {
  const auto device = load_device("h200");
  const LaunchShape launch{.blocks = 132 * 4, .threads = 128, .registers = 32, .shared = Bytes{}};
  const auto room = l1_room(launch, device);
  CHECK(room.blocks == 4);
  CHECK(room.bytes == (228 + 28 - 4) * 1024);
}
