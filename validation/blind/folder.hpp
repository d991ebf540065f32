#pragma once
// A run of the blind protocol on disk: FOLDER/predictions.csv, then FOLDER/measured/<family>.csv, each of
// which names the predictions that it was measured for.

#include <string>
#include <string_view>
#include <vector>

#include "model/workload/measured_row.hpp"
#include "validation/blind/frozen.hpp"

namespace tilecast {

struct BlindRun {
  std::string folder;
  FrozenPredictions frozen;
  std::vector<MeasuredRow> measured;  // of evaluation rows
};

// Throws InputError when the predictions were changed, or rows were measured for others: predictions made
// anew after a measurement do not go with it. Rows of a run in progress are read as far as they are complete.
BlindRun load_blind(const std::string& folder);

// The committed run of a GPU (validation/blind/recorded/<device>/), compiled in. Throws UnavailableError
// where there is none.
BlindRun recorded_blind(std::string_view gpu_name);
bool has_recorded_blind(std::string_view gpu_name);

// FOLDER/predictions.csv and FOLDER/measured.
std::string frozen_path(const std::string& folder);
std::string measured_folder(const std::string& folder);

// The comment of a file of rows that were measured for these predictions.
std::string blind_comment(const FrozenPredictions& frozen);
// Throws InputError unless `csv`, if it has any line, carries that comment.
void check_measured_for(const FrozenPredictions& frozen, std::string_view csv, std::string_view name);

}  // namespace tilecast
