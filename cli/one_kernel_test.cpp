#include "cli/one_kernel.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/cli_test_support.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

OptionsDescription test_options() {
  OptionsDescription options;
  add_device_option(options);
  add_one_kernel_options(options);
  return options;
}

struct Chosen {
  OneKernel kernel;
  std::string note;
};

Chosen choose(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"-d", "h200"});
  const Command command{.name = "test", .options = test_options, .run = nullptr};
  const auto values = parse_options(command, arguments);
  std::ostringstream notes;
  auto kernel = one_kernel_option(values, device_option(values), "test", notes);
  return {std::move(kernel), notes.str()};
}

}  // namespace

TEST_CASE("one kernel: without --config the one that predict says is fastest, and a note", "[cli]") {
  const auto chosen = choose({"--conv", "1,64,14,14,64,3", "-f", "chang_multi"});
  const auto rows = nlohmann::json::parse(run_tilecast({"predict", "-d", "h200", "--conv", "1,64,14,14,64,3",
                                                        "-f", "chang_multi", "--format", "json"})
                                              .out);
  REQUIRE(rows.size() == 1);
  for (const auto& axis : chosen.kernel.config.values())
    CHECK(rows[0]["config"][std::string(axis.name)] == axis.value);
  CHECK(chosen.note.find(describe_config(chosen.kernel.config) + ": predicted to be the fastest of ") !=
        std::string::npos);
}

TEST_CASE("one kernel: of several families the one that has the axes of --config", "[cli]") {
  const auto chosen = choose({"--conv", "1,64,14,14,64,3", "--config", "BM=64"});
  CHECK(chosen.kernel.family->name == "implicit_gemm");
  CHECK(chosen.kernel.config.find("BM") == 64);
  CHECK_THROWS_AS(choose({"--conv", "1,64,14,14,64,3", "--config", "BM=64,S_bytes=32"}), UsageError);
  CHECK(run_tilecast({"explain", "-d", "h200", "--conv", "1,64,14,14,64,3", "--config", "BM=64"})
            .out.starts_with("implicit_gemm BM=64 "));
}

TEST_CASE("one kernel: a config that is named whole needs no note, one that cannot run says why", "[cli]") {
  const auto chosen = choose(
      {"--conv", "1,64,14,14,64,3", "-f", "chang_multi", "--config", "S_bytes=32,M_tile=64,Wx_tile=32"});
  CHECK(describe_config(chosen.kernel.config) == "S_bytes=32 M_tile=64 Wx_tile=32");
  CHECK(chosen.note.empty());
  const auto as_printed = choose(
      {"--conv", "1,64,14,14,64,3", "-f", "chang_multi", "--config", describe_config(chosen.kernel.config)});
  CHECK(describe_config(as_printed.kernel.config) == describe_config(chosen.kernel.config));
  CHECK_THROWS_AS(choose({"--conv", "1,64,14,14,64,3", "--config", "S_bytes=7"}), InputError);
  CHECK_THROWS_WITH(choose({"--conv", "1,64,14,14,64,3", "--config", "S_bytes=7"}),
                    contains_text("chang_multi: S_bytes=7, expected 32, 64, 128"));
  CHECK_THROWS_WITH(choose({"--conv", "1,64,14,14,64,3", "--config", "S_bytes=32,S_bytes=64"}),
                    contains_text("'S_bytes' twice"));
  CHECK_THROWS_WITH(choose({"--conv", "1,64,14,14,64,3", "-f", "sgemm"}), contains_text("only 1"));
}
