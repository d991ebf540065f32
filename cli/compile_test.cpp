// compile, as far as it goes without NVRTC.

#include <sstream>

#include "cli/cli_test_support.hpp"
#include "kernels/code_record.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

TEST_CASE("compile --recorded: the code of every recorded row is committed, with its mixes", "[cli]") {
  const auto listed = run_tilecast({"compile", "-d", "h200", "--recorded", "--dry-run"});
  REQUIRE(listed.code == 0);
  std::istringstream keys(listed.out);
  const auto& records = committed_code_records(9, 0);
  std::size_t count = 0;
  for (std::string key; std::getline(keys, key); ++count) {
    INFO(key);
    const auto* record = records.find(key);
    REQUIRE(record);
    CHECK(record->mixes);
  }
  CHECK(count > 12000);
}

TEST_CASE("compile --recorded: refuses what would choose other kernels", "[cli]") {
  for (const auto* option : {"--layers=chang-single", "--configs=sample:2", "--gemm=1,1,1", "--seed=3"}) {
    const auto refused = run_tilecast({"compile", "-d", "h200", "--recorded", "--dry-run", option});
    INFO(option);
    CHECK(refused.code == 2);
    CHECK(refused.err.find("beside --recorded") != std::string::npos);
  }
}
