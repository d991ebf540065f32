#pragma once
// The rows of a freeze that has not ended: FOLDER/predictions.partial.csv, a line as each is predicted, so
// that one that was stopped goes on where it stopped. Gone once predictions.csv is there.

#include <cstddef>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

#include "validation/blind/frozen.hpp"

namespace tilecast {

class PartialPredictions {
 public:
  // `run`: all but the rows. `program`: names the build, of which the version alone says too little. Throws
  // InputError where the folder has rows of another run: other models, seed, profile, compiler or build.
  PartialPredictions(const std::string& folder, const FrozenPredictions& run, std::string_view program);

  std::size_t size() const { return rows_.size(); }  // rows that were there
  // The row for this data, problem, config and machine code, if it was there.
  const FrozenRow* find(const FrozenRow& row) const;
  // In the file when it returns. Throws Error (failure) when that cannot be written.
  void append(const FrozenRow& row);
  void remove();

 private:
  std::string path_, text_;  // the complete lines that were there, or those above the first row
  std::map<std::string, FrozenRow> rows_;
  std::ofstream file_;  // open from the first append on
};

std::string partial_path(const std::string& folder);

}  // namespace tilecast
