#include "cli/compare_blind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ostream>
#include <string_view>

#include "cli/compare_gate.hpp"
#include "cli/compare_request.hpp"
#include "cli/models.hpp"
#include "cli/score_tables.hpp"
#include "cli/worst_rows.hpp"
#include "validation/blind/folder.hpp"
#include "validation/measurement_store.hpp"
#include "validation/scores.hpp"

namespace tilecast {
ExitCode compare_blind(const OptionValues& values, CommandStreams streams) {
  for (const char* option : {"layers", "conv", "gemm", "without", "calibrate", "by-family", "by-layer",
                             "by-data", "cost", "family"}) {
    const bool given = std::string_view(option).starts_with("by-") || std::string_view(option) == "cost"
                           ? values[option].as<bool>()
                           : values.count(option) > 0;
    if (given)
      throw UsageError(fmt::format("--blind and --{}: frozen predictions are scored as they are", option));
  }
  const auto folder = values["blind"].as<std::string>();
  const auto gate = gate_option(values);
  const auto worst = worst_option(values);
  const auto format = format_option(values);
  BlindRun run = folder == "recorded" ? recorded_blind(device_option(values).gpu_name) : load_blind(folder);
  std::vector<MeasuredRow> rows = std::move(run.measured);
  if (values.count("measured")) {
    for (const auto& path : values["measured"].as<std::vector<std::string>>())
      std::ranges::move(load_measurements(path), std::back_inserter(rows));
  } else {
    std::ranges::move(recorded_measurements(run.frozen.gpu_name), std::back_inserter(rows));
  }
  const auto result = score_blind(run.frozen, rows, ties_of);
  const auto scores = blind_rows(result);
  if (!quiet_option(values)) {
    streams.err << fmt::format(
        "compare: {}: {} rows frozen by tilecast {} with profile {} ({:.12}...), file {:.12}...\n",
        run.folder, run.frozen.rows.size(), run.frozen.tool_version, run.frozen.device,
        run.frozen.device_sha256, run.frozen.sha256);
    const auto tell = [&](std::size_t count, std::string_view what) {
      if (count > 0) streams.err << fmt::format("compare: {} {}\n", count, what);
    };
    tell(result.not_measured, "frozen rows are not measured yet");
    tell(result.not_timed, "frozen rows have no time (refused or wrong)");
    tell(result.other_code,
         "rows were measured with other machine code than was predicted, and are left out");
  }
  if (scores.empty()) {
    throw UnavailableError("compare: none of the frozen predictions has been measured",
                           "on that GPU: tilecast validate --blind " + folder);
  }
  std::vector<Comparison> pairs;  // of the first model, evaluation data
  for (const auto& p : result.pairs) {
    if (!p.development && p.model == run.frozen.models.front()) pairs.push_back(p.pair);
  }
  std::string text;
  if (format == Format::table || !worst) text = score_table(scores).format(format);
  if (worst)
    text += (text.empty() ? "" : "\n") + worst_table(pairs, worst_places(pairs, *worst)).format(format);
  write_output(values, text, streams.out);
  return gate && over_gate(scores, *gate, streams.err) ? ExitCode::gate_failed : ExitCode::success;
}

}  // namespace tilecast
