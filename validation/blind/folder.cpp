#include "validation/blind/folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "model/device/gpu_name.hpp"
#include "model/support/csv.hpp"
#include "model/support/embedded.hpp"
#include "model/support/errors.hpp"
#include "validation/measurement_store.hpp"

namespace tilecast {

namespace fs = std::filesystem;

std::span<const EmbeddedFile> blind_files();  // made by tilecast_embed in CMakeLists.txt

namespace {

void add_rows(BlindRun& run, std::string_view csv, const std::string& name) {
  check_measured_for(run.frozen, csv, name);
  bool truncated = false;
  auto rows = parse_measurements(csv, name, &truncated);
  std::ranges::move(rows, std::back_inserter(run.measured));
}

std::string recorded_prefix(std::string_view gpu_name) {
  return "blind/recorded/" + folder_name(gpu_name) + '/';
}

}  // namespace

std::string frozen_path(const std::string& folder) {
  return (fs::path(folder) / frozen_file_name).string();
}

std::string measured_folder(const std::string& folder) {
  return (fs::path(folder) / "measured").string();
}

std::string blind_comment(const FrozenPredictions& frozen) {
  return fmt::format("measured for {} with sha256 {}", frozen_file_name, frozen.sha256);
}

void check_measured_for(const FrozenPredictions& frozen, std::string_view csv, std::string_view name) {
  if (csv.empty()) return;
  const auto wanted = "# " + blind_comment(frozen) + '\n';
  if (csv.find(wanted) != std::string_view::npos) return;
  throw InputError(
      fmt::format("{}: was not measured for these predictions ({} is missing)", name,
                  wanted.substr(0, wanted.size() - 1)),
      "predictions made anew do not go with rows measured before: measure them into a folder of their own");
}

BlindRun load_blind(const std::string& folder) {
  const auto path = frozen_path(folder);
  if (!fs::exists(path)) {
    throw InputError(fmt::format("{}: no such file", path),
                     "'tilecast validate --freeze " + folder + " -d DEVICE' writes it");
  }
  BlindRun run{.folder = folder, .frozen = parse_frozen(read_file(path), path), .measured = {}};
  std::vector<fs::path> files;
  if (fs::is_directory(measured_folder(folder))) {
    for (const auto& entry : fs::directory_iterator(measured_folder(folder))) {
      if (entry.path().extension() == ".csv") files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  for (const auto& file : files)
    add_rows(run, read_file(file.string()), file.string());
  return run;
}

bool has_recorded_blind(std::string_view gpu_name) {
  return std::ranges::any_of(blind_files(), [&](const EmbeddedFile& file) {
    return file.path == recorded_prefix(gpu_name) + std::string(frozen_file_name);
  });
}

BlindRun recorded_blind(std::string_view gpu_name) {
  const auto prefix = recorded_prefix(gpu_name);
  BlindRun run;
  run.folder = "validation/" + prefix;
  bool found = false;
  for (const auto& file : blind_files()) {
    if (file.path != prefix + std::string(frozen_file_name)) continue;
    run.frozen = parse_frozen(file.text, fmt::format("validation/{}", file.path));
    found = true;
  }
  if (!found) {
    throw UnavailableError(fmt::format("no blind evaluation is recorded for '{}'", gpu_name),
                           "name a folder that 'tilecast validate --freeze' has written");
  }
  for (const auto& file : blind_files()) {
    if (file.path.starts_with(prefix + "measured/"))
      add_rows(run, file.text, fmt::format("validation/{}", file.path));
  }
  return run;
}

}  // namespace tilecast
