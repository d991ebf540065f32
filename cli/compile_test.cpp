// compile, as far as it goes without NVRTC.

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "cli/cli_test_support.hpp"
#include "model/support/csv.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

TEST_CASE("compile --missing: of every recorded row the committed files have the code, and its launch",
          "[cli]") {
  const Folder folder("compile_missing");
  const auto records = folder / "records.csv", mixes = folder / "mixes.csv";
  std::filesystem::copy_file(TILECAST_SOURCE_DIR "/kernels/code_records/sm_90.csv", records);
  const auto missing = [&] {
    const auto listed = run_tilecast(
        {"compile", "-d", "h200", "--recorded", "--missing", "--dry-run", "-o", records, "--mixes", mixes});
    REQUIRE(listed.code == 0);
    return std::ranges::count(listed.out, '\n');
  };
  const auto all = missing();  // there is no file of mixes
  CHECK(all > 18000);
  std::filesystem::copy_file(TILECAST_SOURCE_DIR "/kernels/code_mixes/sm_90.csv", mixes);
  CHECK(missing() == 0);

  // Without the launches of its second half these are to be read again.
  auto text = read_file(mixes);
  text.resize(text.find('\n', text.size() / 2) + 1);
  std::ofstream(mixes) << text;
  CHECK(missing() > all / 4);
  CHECK(missing() < 3 * all / 4);
}

TEST_CASE("compile --recorded: refuses what would choose other kernels", "[cli]") {
  for (const auto* option : {"--layers=chang-single", "--configs=sample:2", "--gemm=1,1,1", "--seed=3"}) {
    const auto refused = run_tilecast({"compile", "-d", "h200", "--recorded", "--dry-run", option});
    INFO(option);
    CHECK(refused.code == 2);
    CHECK(refused.err.find("beside --recorded") != std::string::npos);
  }
}
