#include "kernels/similar_code.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

namespace tilecast {
namespace {

// Equation A14 counts a code that was not read by the most similar ones that were.

struct Split {
  std::string rest;                  // "sgemm/sgemm.cu:sgemm_kernel TILE_M=32 ..." without may_differ
  std::vector<std::int64_t> values;  // of may_differ
};

// Where `name` stands in the list; its end when it is not there.
std::size_t place_of(std::string_view name, std::span<const std::string_view> names) {
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

Split split(Specialisation code, const CodeSimilarity& similarity) {
  const auto may_differ = similarity.may_differ;
  if (similarity.traits) std::ranges::move(similarity.traits(code), std::back_inserter(code.defines));
  Specialisation shared{code.source, code.entry, {}};
  Split result{.rest = "", .values = std::vector<std::int64_t>(may_differ.size(), 0)};
  for (const auto& define : code.defines) {
    const auto place = place_of(define.name, may_differ);
    if (place == may_differ.size())
      shared.defines.push_back(define);
    else
      result.values[place] = define.value;
  }
  result.rest = shared.key();
  return result;
}

// Back from Specialisation::key().
Specialisation parse_key(std::string_view key) {
  Specialisation code;
  const auto word = [&] {
    const auto end = std::min(key.find(' '), key.size());
    const auto text = key.substr(0, end);
    key.remove_prefix(std::min(end + 1, key.size()));
    return text;
  };
  const auto name = word();
  const auto colon = name.rfind(':');
  code.source = name.substr(0, colon);
  code.entry = name.substr(colon + 1);
  while (!key.empty()) {
    const auto define = word();
    const auto equals = define.find('=');
    std::int64_t value = 0;
    std::from_chars(define.data() + equals + 1, define.data() + define.size(), value);
    code.defines.push_back({define.substr(0, equals), value});
  }
  return code;
}

// How far a candidate is from what is wanted, by each constant: (1 + x) / (1 + w) or its inverse, whichever
// is larger, which ranks as the logarithms do.
double distance(std::int64_t x, std::int64_t wanted) {
  const double p = 1 + static_cast<double>(x), q = 1 + static_cast<double>(wanted);
  return p > q ? p / q : q / p;
}

}  // namespace

SimilarCodes::SimilarCodes(const CodeRecords& records, std::string_view kernel,
                           const CodeSimilarity& similarity)
    : similarity_(similarity) {
  std::map<std::string_view, const CodeRecord*> sorted;  // the result does not depend on the hash's order
  for (const auto& [key, record] : records.all()) {
    if (record.mixes && key.starts_with(kernel)) sorted.emplace(key, &record);
  }
  for (const auto& [key, record] : sorted) {
    auto parts = split(parse_key(key), similarity_);
    by_rest_[parts.rest].push_back({std::move(parts.values), record});
  }
}

// EQUATIONS.md A14, "Whose code".
std::vector<const CodeRecord*> SimilarCodes::find(const Specialisation& code, double thread_fmas) const {
  constexpr std::size_t most = 3;  // chosen on development rows, as may_differ's order
  const auto wanted = split(code, similarity_);
  const auto found = by_rest_.find(wanted.rest);
  if (found == by_rest_.end()) return {};
  struct Near {
    std::vector<double> distances;
    const CodeRecord* record;
  };
  const auto names = similarity_.may_differ;
  std::vector<Near> nearest;  // of equally near ones the first by key
  std::vector<double> distances(names.size());
  for (const auto& candidate : found->second) {
    if (candidate.values == wanted.values) continue;  // the code itself
    // By the first constant in which it is not as near as the last of the nearest.
    bool nearer = nearest.size() < most, further = false;
    for (std::size_t i = 0; i < names.size() && !further; ++i) {
      distances[i] = names[i] == launch_that_was_read ? candidate.record->mixes->apart(thread_fmas)
                                                      : distance(candidate.values[i], wanted.values[i]);
      if (nearer) continue;
      nearer = distances[i] < nearest.back().distances[i];
      further = distances[i] > nearest.back().distances[i];
    }
    if (!nearer) continue;
    nearest.insert(std::ranges::upper_bound(nearest, distances, {}, &Near::distances),
                   {distances, candidate.record});
    if (nearest.size() > most) nearest.pop_back();
  }
  std::vector<const CodeRecord*> records;
  for (const auto& near : nearest) {
    const auto together = static_cast<std::ptrdiff_t>(similarity_.together);
    if (!std::equal(near.distances.begin(), near.distances.begin() + together,
                    nearest.front().distances.begin()))
      break;
    records.push_back(near.record);
  }
  return records;
}

KernelDescription mean_of_codes(std::span<const KernelDescription> kernels) {
  auto mean = kernels.front();
  double codes = 1;
  const auto also = [&](double& value, double other) { value += (other - value) / codes; };
  const auto also_counts = [&](CodeCounts& counts, const CodeCounts& other) {
    counts = CodeCounts{}.add(counts, 1 - 1 / codes).add(other, 1 / codes);
  };
  for (const auto& kernel : kernels.subspan(1)) {
    if (kernel.phases.size() != mean.phases.size()) continue;
    ++codes;
    also(mean.code_instructions, kernel.code_instructions);
    also(mean.loop_instructions, kernel.loop_instructions);
    also(mean.skipped_instructions, kernel.skipped_instructions);
    also(mean.before_skipped, kernel.before_skipped);
    for (std::size_t i = 0; i < mean.phases.size(); ++i) {
      auto& phase = mean.phases[i];
      const auto& other = kernel.phases[i];
      also(phase.cycles_until_wait, other.cycles_until_wait);
      if (!phase.code || !other.code) continue;
      also_counts(phase.code->around, other.code->around);
      also_counts(phase.code->compute, other.code->compute);
      also_counts(phase.code->before_stores, other.code->before_stores);
    }
  }
  return mean;
}

}  // namespace tilecast
