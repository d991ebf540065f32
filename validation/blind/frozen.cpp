#include "validation/blind/frozen.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "model/support/csv.hpp"
#include "model/support/errors.hpp"
#include "model/support/sha256.hpp"

namespace tilecast {
namespace {

constexpr std::string_view title = "# tilecast blind predictions, format 1\n";
constexpr std::string_view hash_label = "# sha256: ";

constexpr std::array<std::string_view, 12> of_problem{"data", "family", "layer", "suite", "N",      "C",
                                                      "H",    "W",      "M",     "K",     "stride", "pad"};
constexpr std::string_view dilation_column = "dilation";  // only where a row has another one than 1
constexpr std::array<std::string_view, 3> of_config{"config", "chosen_by", "code_hash"};

std::string_view chosen_by(const FrozenRow& row) {
  if (!row.paper_choice) return "sample";
  return row.drawn ? "sample+paper" : "paper";
}

// What stands after "label: " in the comments; throws when it is not there.
class Comments {
 public:
  explicit Comments(const CsvTable& table) : name_(table.name) {
    for (const auto& comment : table.comments) {
      const auto begin = comment.find_first_not_of("# ");
      const auto colon = comment.find(": ");
      if (begin != std::string::npos && colon != std::string::npos)
        values_.emplace(comment.substr(begin, colon - begin), comment.substr(colon + 2));
    }
  }
  std::string get(const std::string& label) const {
    const auto found = values_.find(label);
    if (found == values_.end())
      throw InputError(fmt::format("{}: no comment '# {}: ...', expected one", name_, label));
    return found->second;
  }
  template <class T>
  T integer(const std::string& label) const {
    const auto text = get(label);
    T value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
      throw InputError(fmt::format("{}: comment '# {}: {}', expected an integer", name_, label, text));
    return value;
  }

 private:
  std::string name_;
  std::map<std::string, std::string> values_;
};

[[noreturn]] void changed(std::string_view name, const std::string& how) {
  throw InputError(fmt::format("{}: {}", name, how),
                   "frozen predictions cannot be edited: take the file as it was written, or freeze new ones "
                   "into another folder");
}

// The text with its hash line taken out, after that line was found right.
std::string without_hash(std::string_view text, std::string_view name, std::string& hash) {
  const auto begin = text.find(hash_label);
  if (!text.starts_with(title) || begin != title.size())
    changed(name, "no file of frozen predictions (its first lines name format and hash)");
  const auto end = text.find('\n', begin);
  if (end == std::string_view::npos) changed(name, "cut short");
  const auto written = text.substr(begin + hash_label.size(), end - begin - hash_label.size());
  std::string rest(text.substr(0, begin));
  rest += text.substr(end + 1);
  hash = sha256_hex(rest);
  if (hash != written)
    changed(name, fmt::format("its content has the hash {}, but it was written with {}: it was changed", hash,
                              written));
  return rest;
}

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> list;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find(' ', begin), text.size());
    if (end > begin) list.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return list;
}

FrozenRow read_row(const CsvTable& table, const CsvRow& row, std::size_t models, bool dilated) {
  const std::size_t config = of_problem.size() + (dilated ? 1 : 0);
  const auto& f = row.fields;
  const auto size = [&](std::size_t column) { return csv_integer(table, row, column); };
  FrozenRow r{.development = f[0] == "development",
              .family = f[1],
              .layer = f[2],
              .suite = f[3],
              .problem = {size(4), size(5), size(6), size(7), size(8), size(9), size(10), size(11),
                          dilated ? size(12) : 1},
              .config = f[config],
              .drawn = f[config + 1] != "paper",
              .paper_choice = f[config + 1] != "sample",
              .code_hash = f[config + 2],
              .times = {},
              .unpredicted = f.back()};
  for (std::size_t i = 0; i < models; ++i) {
    const auto column = config + of_config.size() + 3 * i;
    const auto at = [&](std::size_t c) -> std::optional<Seconds> {
      if (f[c].empty()) return std::nullopt;
      return Seconds{csv_number(table, row, c)};
    };
    const auto time = at(column);
    r.times.push_back(time ? std::optional(FrozenTime{*time, at(column + 1), at(column + 2)}) : std::nullopt);
  }
  return r;
}

}  // namespace

std::string frozen_comments(const FrozenPredictions& frozen) {
  return fmt::format(
      "# Times in seconds. Data: development (recorded, models may have been improved after it was seen) or "
      "evaluation (not yet measured).\n"
      "# tool_version: {}\n# device: {}\n# gpu: {}\n# device_sha256: {}\n# compiler: {}\n# calibration: {}\n"
      "# seed: {}\n# sample: {}\n# models: {}\n",
      frozen.tool_version, frozen.device, frozen.gpu_name, frozen.device_sha256, frozen.compiler,
      frozen.calibration, frozen.seed, frozen.sample, fmt::join(frozen.models, " "));
}

std::string frozen_header(const std::vector<std::string>& models, bool dilated) {
  std::string line = fmt::format("{},", fmt::join(of_problem, ","));
  if (dilated) line += fmt::format("{},", dilation_column);
  line += fmt::format("{}", fmt::join(of_config, ","));
  for (const auto& model : models)
    line += fmt::format(",{0}_s,{0}_low_s,{0}_high_s", model);
  return line + ",unpredicted\n";
}

std::string frozen_line(const FrozenRow& r, bool dilated) {
  const auto& p = r.problem;
  std::string line =
      fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},", r.development ? "development" : "evaluation",
                  csv_field(r.family), csv_field(r.layer), csv_field(r.suite), p.N, p.C, p.H, p.W, p.M, p.K,
                  p.stride, p.pad);
  if (dilated) line += fmt::format("{},", p.dilation);
  line += fmt::format("{},{},{}", csv_field(r.config), chosen_by(r), csv_field(r.code_hash));
  const auto end = [](const std::optional<Seconds>& t) { return t ? fmt::format("{}", t->value()) : ""; };
  for (const auto& t : r.times)
    line += t ? fmt::format(",{},{},{}", t->time.value(), end(t->low), end(t->high)) : ",,,";
  return line + ',' + csv_field(r.unpredicted) + '\n';
}

std::vector<FrozenRow> frozen_rows(const CsvTable& table, std::size_t models, bool dilated) {
  std::vector<FrozenRow> rows;
  for (const auto& row : table.rows)
    rows.push_back(read_row(table, row, models, dilated));
  return rows;
}

std::string format_frozen(const FrozenPredictions& frozen) {
  std::string rest = frozen_comments(frozen) + fmt::format("# rows: {}\n", frozen.rows.size());
  const bool dilated =
      std::ranges::any_of(frozen.rows, [](const FrozenRow& row) { return row.problem.dilation != 1; });
  rest += frozen_header(frozen.models, dilated);
  for (const auto& row : frozen.rows)
    rest += frozen_line(row, dilated);
  const auto hash = sha256_hex(std::string(title) + rest);
  return fmt::format("{}{}{}\n{}", title, hash_label, hash, rest);
}

FrozenPredictions parse_frozen(std::string_view text, std::string_view name) {
  FrozenPredictions frozen;
  const auto rest = without_hash(text, name, frozen.sha256);
  const auto table = parse_csv(rest, name);
  const Comments comments(table);
  frozen.tool_version = comments.get("tool_version");
  frozen.device = comments.get("device");
  frozen.gpu_name = comments.get("gpu");
  frozen.device_sha256 = comments.get("device_sha256");
  frozen.compiler = comments.get("compiler");
  frozen.calibration = comments.get("calibration");
  frozen.seed = comments.integer<std::uint64_t>("seed");
  frozen.sample = comments.integer<std::size_t>("sample");
  frozen.models = words(comments.get("models"));
  const bool dilated = table.column(dilation_column).has_value();
  if (fmt::format("{}\n", fmt::join(table.header, ",")) != frozen_header(frozen.models, dilated))
    changed(name, "its columns are not those of its models");
  if (table.rows.size() != comments.integer<std::size_t>("rows"))
    changed(name, fmt::format("{} rows, expected {}", table.rows.size(), comments.get("rows")));
  frozen.rows = frozen_rows(table, frozen.models.size(), dilated);
  return frozen;
}

}  // namespace tilecast
