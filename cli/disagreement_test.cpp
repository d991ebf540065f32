#include "cli/disagreement.hpp"

#include <nlohmann/json.hpp>

#include "cli/cli_test_support.hpp"
#include "model/device/load.hpp"
#include "model/support/csv.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

constexpr double us = 1e-6;

TwoTimes times(std::string kernel, double sim, double analytic) {
  return {std::move(kernel), Seconds{sim * us}, Seconds{analytic * us}};
}

}  // namespace

TEST_CASE("disagreement: beyond the one factor that counts as large, either way") {
  CHECK(large_disagreement == 1.25);
  CHECK_FALSE(disagree(Seconds{1.24}, Seconds{1}));
  CHECK_FALSE(disagree(Seconds{1}, Seconds{1.24}));
  CHECK(disagree(Seconds{1.26}, Seconds{1}));
  CHECK(disagree(Seconds{1}, Seconds{1.26}));
}

TEST_CASE("disagreement: one line counts the kernels and names the furthest") {
  CHECK(disagreement_warning({}).empty());
  const std::vector<TwoTimes> close{times("a", 10, 9), times("b", 9, 10)};
  CHECK(disagreement_warning(close).empty());
  const std::vector<TwoTimes> far{times("a", 10, 9), times("b", 13, 10), times("c", 10, 15)};
  CHECK(disagreement_warning(far) ==
        "warning: sim and analytic are more than 1.25 times apart on 2 of 3 kernels, most on c: 10.00 and "
        "15.00 us; "
        "one of the two misses something that matters\n");
  CHECK(disagreement_warning({&far[1], 1}) ==
        "warning: sim and analytic are more than 1.25 times apart on b: 13.00 and 10.00 us; one of the two "
        "misses "
        "something that matters\n");
}

TEST_CASE(
    "disagreement: predict, simulate and compare warn on stderr, beside what they write, and not with -q",
    "[nvrtc]") {
  // A shared memory that answers after 20,000 cycles: only sim asks how long it takes.
  const Folder folder("disagreement");
  auto slow = load_device("h200");
  auto info = slow.shared_latency.info;
  info.low = info.high = std::nullopt;
  slow.shared_latency.set(Cycles{20000}, info);
  write_file(folder / "slow.json", format_device(slow));
  const auto run = [](std::string command, std::string device, std::vector<std::string> more) {
    std::vector<std::string> arguments{command, "-d", device, "--conv", "1,8,6,6,8,3", "-f", "chang_multi"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_tilecast(arguments);
  };
  const std::vector<std::string> predict_all{"--model", "sim", "--all", "--format", "json"};
  const auto fits = run("predict", "h200", predict_all);
  if (fits.code == 5) {
    SUCCEED("NVRTC or nvdisasm is not here: " << fits.err);
    return;
  }
  CHECK_THAT(fits.err, !contains_text("warning"));

  const auto predicted = run("predict", folder / "slow.json", predict_all);
  CHECK(nlohmann::json::parse(predicted.out).size() == 6);
  CHECK_THAT(predicted.err,
             contains_text("warning: sim and analytic are more than 1.25 times apart on 6 of 6 "
                           "kernels, most on chang_multi S_bytes="));
  CHECK_THAT(run("predict", folder / "slow.json", {"--model", "sim", "--format", "csv"}).out,
             !contains_text("warning"));
  CHECK(run("predict", folder / "slow.json", {"--model", "sim", "-q"}).err.empty());

  const auto compared =
      run_tilecast({"compare", "-d", folder / "slow.json", "--conv", "1,512,7,7,512,3", "-f", "chang_multi",
                    "--model", "analytic,sim", "--configs", "sample:2", "--format", "json"});
  if (compared.code == 5) {  // what predict needed was read before, on a machine that had it
    SUCCEED("NVRTC or nvdisasm is not here: " << compared.err);
    return;
  }
  CHECK(nlohmann::json::parse(compared.out).size() == 2);  // a score of each
  CHECK_THAT(compared.err, contains_text("times apart on 2 of 2 kernels, most on chang_multi"));

  const auto text = run("simulate", folder / "slow.json", {});
  CHECK_THAT(text.err,
             contains_text("warning: sim and analytic are more than 1.25 times apart on chang_multi"));
  CHECK_THAT(text.out, !contains_text("WARNING"));
  const auto json = run("simulate", folder / "slow.json", {"--format", "json"});
  CHECK(nlohmann::json::parse(json.out)["models_disagree"] == true);
  CHECK_THAT(json.err, contains_text("warning: sim and analytic"));
  CHECK(nlohmann::json::parse(run("simulate", "h200", {"--format", "json"}).out)["models_disagree"] == false);
}
