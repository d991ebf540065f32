#pragma once
// Which committed code tells most of one that is not committed: the one whose threads compute and copy alike
// and that differs in as little as possible of the rest, such as the width of a store or the size of a
// block's tile.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kernels/code_record.hpp"
#include "kernels/launch_plan.hpp"

namespace tilecast {

// The records of one kernel whose code was read, by the constants that a similar code must share.
class SimilarCodes {
 public:
  // `kernel` is how the records' keys begin ("sgemm/"). `may_differ`: constants in which a similar code may
  // differ, those that matter most first; one that a specialisation lacks counts as 0. Records must outlive
  // the result.
  SimilarCodes(const CodeRecords& records, std::string_view kernel,
               std::span<const std::string_view> may_differ);

  // Of all others that share the rest, the nearest: smallest |log2 (1 + a) / (1 + b)| of the constant that
  // matters most, then of the next, then the first by key. nullptr: there is none.
  const CodeRecord* find(const Specialisation& code) const;

 private:
  struct Candidate {
    std::vector<std::int64_t> values;  // of may_differ
    const CodeRecord* record;
  };
  std::vector<std::string_view> may_differ_;
  std::unordered_map<std::string, std::vector<Candidate>> by_rest_;  // each list sorted by key
};

}  // namespace tilecast
