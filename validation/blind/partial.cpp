#include "validation/blind/partial.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "model/support/csv.hpp"
#include "model/support/errors.hpp"

namespace tilecast {

namespace fs = std::filesystem;

namespace {

constexpr bool dilated = true;  // with the column: whether a row to come needs it is not known yet

std::string head_of(const FrozenPredictions& run, std::string_view program) {
  return fmt::format("# tilecast blind predictions, not complete\n# program: {}\n{}{}", program,
                     frozen_comments(run), frozen_header(run.models, dilated));
}

std::string key_of(const FrozenRow& row) {
  return fmt::format("{} {} {} {} {}", row.development, row.family, describe_shape(row.problem), row.config,
                     row.code_hash);
}

}  // namespace

std::string partial_path(const std::string& folder) {
  return (fs::path(folder) / "predictions.partial.csv").string();
}

PartialPredictions::PartialPredictions(const std::string& folder, const FrozenPredictions& run,
                                       std::string_view program)
    : path_(partial_path(folder)), text_(head_of(run, program)) {
  if (!fs::exists(path_)) return;
  auto text = read_file(path_);
  text.resize(text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1);
  if (text.size() < text_.size() && text_.starts_with(text)) return;  // stopped before its first row
  if (!text.starts_with(text_)) {
    throw InputError(
        fmt::format("{}: begun by another build, or with another profile, seed, sample or models", path_),
        "take it away to begin anew, or freeze into another folder");
  }
  text_ = std::move(text);
  for (auto& row : frozen_rows(parse_csv(text_, path_), run.models.size(), dilated)) {
    auto key = key_of(row);
    rows_.emplace(std::move(key), std::move(row));
  }
}

const FrozenRow* PartialPredictions::find(const FrozenRow& row) const {
  const auto found = rows_.find(key_of(row));
  return found == rows_.end() ? nullptr : &found->second;
}

void PartialPredictions::append(const FrozenRow& row) {
  if (!file_.is_open()) {
    const auto folder = fs::path(path_).parent_path();
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (failed)
      throw Error(ExitCode::failure,
                  fmt::format("{}: cannot be made: {}", folder.string(), failed.message()));
    write_file(path_, text_);  // without what a line cut short has left
    file_.open(path_, std::ios::app | std::ios::binary);
  }
  file_ << frozen_line(row, dilated) << std::flush;
  if (!file_) throw Error(ExitCode::failure, fmt::format("{}: cannot be written", path_));
}

void PartialPredictions::remove() {
  file_.close();
  std::error_code absent;
  fs::remove(path_, absent);
}

}  // namespace tilecast
