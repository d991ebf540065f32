#pragma once
// What a warp of one specialisation issues, counted from its machine code (kernels/sass/make_mix.hpp) and
// committed (kernels/code_mixes/sm_90.csv), so that predictions know the code without a toolkit. Counts are
// of one warp and by parts that repeat, so that they hold for every layer with that code.

#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/workload/code_counts.hpp"
#include "model/workload/core_pace.hpp"
#include "model/workload/kernel_description.hpp"

namespace tilecast {

enum class MixPart {
  core,   // the innermost loops that hold multiply-adds: per FFMA
  round,  // the loop around them, a trip that computes and fetches
  last,   // a trip that computes and fetches nothing; where no loop is around the core, what a warp does once
          // the data that it copied first are there, before its first multiply-add
  fetch,  // a trip that computes nothing
  step,   // the loop around that one: per trip
  copy,   // loops of copies alone: per asynchronous copy or global load; not those after the computation
  start,  // once, before the first multiply-add
  sum,    // once, after it, before the first result is stored
  end     // once, from then on; all that is after it where a code has no such part
};
constexpr int mix_part_count = 9;

struct CodeMix {
  struct Part {
    double times = 0;  // units read, a warp's mean; 0: the code has no such part
    double code = 0;   // instructions in the code that it goes through
    CodeCounts unit;
  };
  std::array<Part, mix_part_count> parts;
  CorePaces pace;
  const Part& operator[](MixPart part) const { return parts[static_cast<std::size_t>(part)]; }
  Part& operator[](MixPart part) { return parts[static_cast<std::size_t>(part)]; }
};

// Of so many units of parts. A trip of one of the kinds round and last that the code was never seen to make
// counts as one of the other.
CodeCounts counts_of(const CodeMix& mix, std::initializer_list<std::pair<MixPart, double>> parts);
// Of the core, for so many multiply-adds.
CodeCounts core_of(const CodeMix& mix, double ffma);
// Instructions in the code that a warp goes through. Round, last and fetch are ways through one loop.
double code_instructions(const CodeMix& mix);
// Of these, in loops: what lies between the start and the end.
double loop_instructions(const CodeMix& mix);
// What warps do behind their last multiply-add before they store the first result in `storing`; nullopt: the
// mix has that with the rest.
std::optional<Phase> before_stores(const Phase& storing, const CodeMix& mix);

std::string_view mix_part_name(MixPart part);

// The mixes of one code, of launches whose warps do more and less: they go through different loops (what
// unrolled ones leave over has its own) and trips (with little to do, none of them fetches).
class LaunchMixes {
 public:
  void add(const CodeMix& mix);
  // That of the launch whose threads make most nearly as many multiply-adds on average, by ratio. Requires
  // one.
  const CodeMix& nearest(double thread_fmas) const;
  // Whether one is of a launch whose threads make as many multiply-adds on average: of fewer or more, be it
  // by a tenth, loops end in other trips.
  bool covers(double thread_fmas) const;
  // By how many times nearest()'s threads make more, or fewer; 1: so nearly as many that it is alike.
  double apart(double thread_fmas) const;
  const std::vector<CodeMix>& all() const { return mixes_; }

 private:
  std::vector<CodeMix> mixes_;  // by multiply-adds of a thread
};

// Mixes of one architecture, by the hash of the machine code.
class CodeMixes {
 public:
  const LaunchMixes* find(const std::string& code_hash) const;  // nullptr: none
  void add(const std::string& code_hash, const CodeMix& mix) { mixes_[code_hash].add(mix); }
  const std::unordered_map<std::string, LaunchMixes>& all() const { return mixes_; }
  std::string compiler;  // "NVRTC 13.0"

 private:
  std::unordered_map<std::string, LaunchMixes> mixes_;
};

// The paces of the launch whose threads make most nearly as many multiply-adds on average, by ratio:
// what lies between the start and the end of its code goes with these. None where that is less than half or
// more than twice as many. The mixes must outlive the description.
void set_core_paces(KernelDescription& kernel, const LaunchMixes& mixes);

// CSV text, a row for each part that a code has in a launch, launches of a code one after the other; sorted
// by hash. `name` is for messages. Throws InputError.
CodeMixes parse_code_mixes(std::string_view csv, std::string_view name);
std::string format_code_mixes(const CodeMixes& mixes);

}  // namespace tilecast
