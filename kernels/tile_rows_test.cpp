#include "kernels/tile_rows.hpp"

#include "tests/catch.hpp"

using namespace tilecast;

TEST_CASE("tile rows: what two tiles and two stores share", "[kernels]") {
  Stream output;
  split_rows(output, {.row = 1001, .columns = 128, .tile_bytes = 1e4, .blocks_to_next = 3});
  // Seven rows in eight begin within a sector; a row of the tile is 512 bytes, four stores.
  CHECK(output.split[0].per_byte == Approx(7.0 / 8 / 512));
  CHECK(output.split[0].between.value() == Approx(1e3));  // a tenth of what each running block stores
  CHECK(output.split[0].by_all.value() == Approx(3e4));   // three blocks later
  CHECK(output.split_at_once == Approx(3 * 7.0 / 8 / 512));
  CHECK(output.stored_in_row == Bytes{128});
  CHECK(output.split[1].per_byte == 0);

  split_rows(output, {.row = 1004, .columns = 128, .span = 64, .tile_bytes = 1e4});
  CHECK(output.split[0].per_byte == Approx(0.5 / 512));
  CHECK(output.split_at_once == Approx(0.5 / 512));
  CHECK(output.stored_in_row == Bytes{256});

  // The same with others of the block's stores between.
  Stream apart;
  split_rows(apart, {.row = 1004, .columns = 128, .span = 64, .tile_bytes = 1e4, .between_stores = 5e3});
  CHECK(apart.split_at_once == 0);
  CHECK(apart.split_in_tile.per_byte == Approx(0.5 / 512));
  CHECK(apart.split_in_tile.between.value() == 5e3);
  split_rows(output, {.row = 1000, .columns = 128, .tile_bytes = 1e4});  // whole sectors
  CHECK(output.split[0].per_byte == 0);
  CHECK(output.split_at_once == 0);

  // Of a map that is two words wider than its outputs every row begins two words sooner.
  split_rows(output, {.row = 1024, .starts = 2, .columns = 128, .tile_bytes = 1e4});
  CHECK(output.split[0].per_byte == Approx(3.0 / 4 / 512));
  CHECK(output.lines_apart == Approx(15.0 / 16));
  // Stores side by side, at the same time: of a row's four lines the one that the next tile has a part of.
  split_rows(output, {.row = 1024, .starts = 2, .columns = 128, .joined = 1, .tile_bytes = 1e4});
  CHECK(output.lines_apart == Approx(15.0 / 16 / 4));
  split_rows(output, {.row = 1024, .starts = 2, .columns = 128, .joined = 0.7, .tile_bytes = 1e4});
  CHECK(output.lines_apart == Approx(15.0 / 16 * (1 + 0.3 * 3) / 4));

  split_rows(output, {.row = 21, .columns = 128, .tile_bytes = 1e4});  // no wider than the row
  CHECK(output.split[0].per_byte == Approx(7.0 / 8 / 84));
  CHECK(output.split_at_once == 0);
}

TEST_CASE("tile rows: lines of which two stores have parts", "[kernels]") {
  CHECK(lines_apart(1024, 32) == 0);
  CHECK(lines_apart(1024, 16) == 1);                       // half a line at a time
  CHECK(lines_apart(260100, 32) == Approx(7.0 / 8));       // one row in eight begins with a line
  CHECK(lines_apart(260100, 128) == Approx(7.0 / 8 / 4));  // one line in four
  CHECK(lines_apart(1001, 64) == Approx(31.0 / 32 / 2));
}

TEST_CASE("tile rows (A4): sectors that two steps have parts of are asked for twice where L1 has lost them",
          "[kernels]") {
  CHECK(asked_in_steps(1005, 8, 300) == Approx(1 + 7.0 / 8));  // seven rows in eight begin inside a sector
  CHECK(asked_in_steps(1004, 8, 300) == Approx(1.5));
  CHECK(asked_in_steps(1008, 8, 300) == 1);
  CHECK(asked_in_steps(1005, 32, 300) == Approx(1 + 7.0 / 32));
  CHECK(asked_in_steps(1005, 8, 100) == 1);
  CHECK(asked_in_steps(1005, 8, 192) == Approx(1 + 0.54 * 7 / 8));
  CHECK(asked_in_steps(1005, 8, 240) == Approx(1 + 0.81 * 7 / 8));
  CHECK(asked_in_steps(9, 16, 300) == 1);  // rows shorter than a step
}
