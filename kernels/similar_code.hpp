#pragma once
// Which committed codes tell most of one that is not committed: those whose threads compute and copy alike
// and that differ in as little as possible of the rest, such as the width of a store or the size of a
// block's tile. What one has by chance several have less of: their mean is nearer.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kernels/code_record.hpp"
#include "kernels/launch_plan.hpp"
#include "model/workload/kernel_description.hpp"

namespace tilecast {

// Among the constants of a CodeSimilarity: by how many times the warps of the most similar launch that a code
// was read at issue more multiply-adds, or fewer.
inline constexpr std::string_view launch_that_was_read = "launch";

struct CodeSimilarity {
  // Constants in which a similar code may differ, those that matter most first; it must share all others.
  std::span<const std::string_view> may_differ;
  // Of these, how many from the first on must tell two codes equally near for both to be taken.
  std::size_t together = 0;
  // What a code makes of its constants and what its loops depend on, as more constants; may be null.
  std::vector<Define> (*traits)(const Specialisation& code) = nullptr;
};

// The records of one kernel whose code was read, by the constants that a similar code must share.
class SimilarCodes {
 public:
  // `kernel` is how the records' keys begin ("sgemm/"). A constant that a specialisation lacks counts as 0.
  // Records must outlive the result.
  SimilarCodes(const CodeRecords& records, std::string_view kernel, const CodeSimilarity& similarity);

  // Of all others that share the rest, the nearest: smallest |log2 (1 + a) / (1 + b)| of the constant that
  // matters most, then of the next, then the first by key; and the two next nearest, if they may be taken,
  // too. For a launch whose threads make so many multiply-adds each.
  std::vector<const CodeRecord*> find(const Specialisation& code, double thread_fmas) const;

 private:
  struct Candidate {
    std::vector<std::int64_t> values;  // of may_differ
    const CodeRecord* record;
  };
  CodeSimilarity similarity_;
  std::unordered_map<std::string, std::vector<Candidate>> by_rest_;  // each list sorted by key
};

// Of descriptions of one kernel by several codes: the first, with the mean of what these issue. One whose
// phases are others is left out.
KernelDescription mean_of_codes(std::span<const KernelDescription> kernels);

}  // namespace tilecast
