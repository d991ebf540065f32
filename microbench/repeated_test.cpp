// The shipped profile against runs of the same probes on other cards: what differs is named, with a reason.
#include <filesystem>
#include <set>
#include <sstream>

#include "model/device/compare.hpp"
#include "model/device/load.hpp"
#include "model/support/csv.hpp"
#include "tests/catch.hpp"

namespace tilecast {

namespace {

const std::string folder = TILECAST_SOURCE_DIR "/microbench/results/nvidia-h200/repeated";

using Differences = std::set<std::pair<std::string, std::string>>;  // key, profile

Differences measured_differences(double tolerance) {
  Differences found;
  const DeviceProfile profile = load_device("h200");
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".json") continue;
    const DeviceProfile other = load_device(file.path().string(), Completeness::partial);
    for (const ValueComparison& row : compare_devices(profile, other, tolerance)) {
      if (row.verdict == ComparisonVerdict::differs)
        found.emplace(row.key.substr(0, row.key.find(' ')), file.path().stem().string());
    }
  }
  return found;
}

Differences named_differences() {
  const std::string path = folder + "/exceptions.csv";
  const CsvTable table = parse_csv(read_file(path), path);
  const auto key = table.column("key").value(), profiles = table.column("profiles").value(),
             reason = table.column("reason").value();
  Differences named;
  for (const CsvRow& row : table.rows) {
    INFO(row.fields[key]);
    CHECK_FALSE(row.fields[reason].empty());
    std::istringstream words(row.fields[profiles]);
    for (std::string profile; words >> profile;)
      CHECK(named.emplace(row.fields[key], profile).second);
  }
  return named;
}

std::string missing(const Differences& from, const Differences& in) {
  std::string text;
  for (const auto& [key, profile] : from) {
    if (!in.contains({key, profile})) text += key + " (" + profile + ") ";
  }
  return text;
}

}  // namespace

TEST_CASE(
    "repeated profiles: whatever differs by more than 3 % with intervals apart is named with its reason") {
  const Differences measured = measured_differences(0.03), named = named_differences();
  CHECK(measured.size() > 50);
  CHECK(missing(measured, named).empty());
  CHECK(missing(named, measured).empty());  // nothing is named that is not so
}

}  // namespace tilecast
