#include "kernels/simulation/listing_cache.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/catch.hpp"

using namespace tilecast;

namespace {

struct ScratchFolder {
  std::string path =
      (std::filesystem::temp_directory_path() / ("tilecast-listings-" + std::to_string(getpid()))).string();
  ScratchFolder() { std::filesystem::remove_all(path); }
  ~ScratchFolder() { std::filesystem::remove_all(path); }
};

}  // namespace

TEST_CASE("listing cache: runs of blanks become one, those at the begin and end of a line none") {
  CHECK(compact_listing("\t.target\tsm_90\n   /*0000*/    LDC R1 ;    /* 0x0 */  \n  x") ==
        "\t.target\tsm_90\n/*0000*/ LDC R1 ; /* 0x0 */\nx");
}

TEST_CASE("listing cache: a cubin's listing comes back, another cubin's or a damaged one does not") {
  const ScratchFolder folder;
  const std::string cubin(
      "\x7f"
      "ELF\0\1",
      6),
      other(
          "\x7f"
          "ELF\0\2",
          6);
  CHECK(!load_listing(folder.path, cubin));
  store_listing(folder.path, cubin, "LDC R1 ;\n");
  CHECK(load_listing(folder.path, cubin) == "LDC R1 ;\n");
  CHECK(!load_listing(folder.path, other));
  for (const auto& entry : std::filesystem::directory_iterator(folder.path))
    std::ofstream(entry.path(), std::ios::app) << "x";
  CHECK(!load_listing(folder.path, cubin));
}
