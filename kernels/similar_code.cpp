#include "kernels/similar_code.hpp"

#include <algorithm>
#include <charconv>
#include <map>

namespace tilecast {
namespace {

// Equation A14 counts a code that was not read by the most similar one that was.

struct Split {
  std::string rest;                  // "sgemm/sgemm.cu:sgemm_kernel TILE_M=32 ..." without may_differ
  std::vector<std::int64_t> values;  // of may_differ
};

// Where `name` stands in the list; its end when it is not there.
std::size_t place_of(std::string_view name, std::span<const std::string_view> names) {
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

Split split(const Specialisation& code, std::span<const std::string_view> may_differ) {
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

// EQUATIONS.md A14, "Whose code".
SimilarCodes::SimilarCodes(const CodeRecords& records, std::string_view kernel,
                           std::span<const std::string_view> may_differ)
    : may_differ_(may_differ.begin(), may_differ.end()) {
  std::map<std::string_view, const CodeRecord*> sorted;  // the result does not depend on the hash's order
  for (const auto& [key, record] : records.all()) {
    if (record.mixes && key.starts_with(kernel)) sorted.emplace(key, &record);
  }
  for (const auto& [key, record] : sorted) {
    auto parts = split(parse_key(key), may_differ_);
    by_rest_[parts.rest].push_back({std::move(parts.values), record});
  }
}

const CodeRecord* SimilarCodes::find(const Specialisation& code) const {
  const auto wanted = split(code, may_differ_);
  const auto found = by_rest_.find(wanted.rest);
  if (found == by_rest_.end()) return nullptr;
  const Candidate* best = nullptr;
  std::vector<double> of_best(wanted.values.size());
  for (const auto& candidate : found->second) {
    // By the first constant in which it is not as near as the best one.
    std::size_t i = 0;
    double own = 0;
    const auto as_near = [&] {
      return (own = distance(candidate.values[i], wanted.values[i])) == of_best[i];
    };
    while (best && i < of_best.size() && as_near())
      ++i;
    if (best && (i == of_best.size() || own > of_best[i])) continue;
    if (candidate.values == wanted.values) continue;  // the code itself
    best = &candidate;
    for (; i < of_best.size(); ++i)
      of_best[i] = distance(candidate.values[i], wanted.values[i]);
  }
  return best ? best->record : nullptr;
}

}  // namespace tilecast
