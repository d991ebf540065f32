#include "cli/cli_test_support.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

TEST_CASE("measure --self-test: every injected mistake is caught, also without a GPU", "[cli]") {
  const auto out = run_tilecast({"measure", "--self-test"});
  CHECK(out.code == 0);
  CHECK(out.out.find("idle SMs counted") != std::string::npos);
  CHECK(out.out.find("machine-code") != std::string::npos);
}

TEST_CASE("measure: an unknown probe is told before a GPU is looked for", "[cli]") {
  const auto out = run_tilecast({"measure", "--only", "latancy"});
  // Built without GPU support there are no probes to know.
  CHECK((out.code == 3 || out.code == 5));
}

TEST_CASE("measure --memory: expects a positive number, told before a GPU is looked for", "[cli]") {
  CHECK(run_tilecast({"measure", "--memory", "-5"}).code == 2);
  CHECK(run_tilecast({"measure", "--memory", "0"}).code == 2);
}
