#include "validation/mechanisms/mechanisms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <sstream>

#include "model/support/csv.hpp"
#include "model/support/embedded.hpp"
#include "model/support/errors.hpp"
#include "model/support/statistics.hpp"

namespace tilecast {

std::span<const EmbeddedFile> mechanism_files();  // mechanisms.csv, embedded by CMake

namespace {

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }) && !(text.front() >= '0' && text.front() <= '9');
}

constexpr std::array<std::string_view, 3> statuses{"not modelled", "in part", "open"};
constexpr std::array<std::pair<std::string_view, ErrorSide>, 3> sides{
    {{"slow", ErrorSide::slow}, {"fast", ErrorSide::fast}, {"either", ErrorSide::either}}};

}  // namespace

Condition Condition::parse(std::string_view text, std::string_view where) {
  const auto refuse = [&](std::string_view what, std::string_view expected) {
    throw InputError(fmt::format("{}: condition '{}': {}, expected {}", where, text, what, expected));
  };
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;)
    words.push_back(word);
  constexpr std::array<std::pair<std::string_view, Relation>, 6> relations{{{"=", Relation::equal},
                                                                            {"!=", Relation::unequal},
                                                                            {"<", Relation::less},
                                                                            {"<=", Relation::at_most},
                                                                            {">", Relation::more},
                                                                            {">=", Relation::at_least}}};
  Condition condition;
  std::size_t at = 0;
  const auto next = [&](std::string_view expected) -> const std::string& {
    if (at == words.size()) refuse("ends early", expected);
    return words[at++];
  };
  do {
    Comparison one;
    one.name = next("a fact's name");
    if (!is_name(one.name)) refuse(fmt::format("'{}'", one.name), "a fact's name");
    std::string word = next("mod, =, !=, <, <=, > or >=");
    if (word == "mod") {
      const auto modulus = number_of(next("a positive number"));
      if (!modulus || *modulus <= 0) refuse(fmt::format("'{}'", words[at - 1]), "a positive number");
      one.modulus = *modulus;
      word = next("=, !=, <, <=, > or >=");
    }
    const auto relation = std::ranges::find(relations, word, [](const auto& r) { return r.first; });
    if (relation == relations.end()) refuse(fmt::format("'{}'", word), "=, !=, <, <=, > or >=");
    one.relation = relation->second;
    const std::string& right = next("a number or a fact's name");
    if (const auto number = number_of(right))
      one.number = *number;
    else if (is_name(right))
      one.other = right;
    else
      refuse(fmt::format("'{}'", right), "a number or a fact's name");
    condition.all_.push_back(std::move(one));
    if (at < words.size() && words[at] != "and") refuse(fmt::format("'{}'", words[at]), "and");
  } while (at++ < words.size());
  return condition;
}

bool Condition::holds(const RowFacts& facts) const {
  return std::ranges::all_of(all_, [&](const Comparison& one) {
    auto left = facts.find(one.name);
    const auto right = one.other.empty() ? std::optional(one.number) : facts.find(one.other);
    if (!left || !right) return false;
    if (one.modulus > 0) left = std::fmod(*left, one.modulus);
    switch (one.relation) {
      case Relation::equal:
        return *left == *right;
      case Relation::unequal:
        return *left != *right;
      case Relation::less:
        return *left < *right;
      case Relation::at_most:
        return *left <= *right;
      case Relation::more:
        return *left > *right;
      case Relation::at_least:
        return *left >= *right;
    }
    return false;
  });
}

std::vector<std::string> Condition::names() const {
  std::vector<std::string> names;
  for (const auto& one : all_) {
    names.push_back(one.name);
    if (!one.other.empty()) names.push_back(one.other);
  }
  return names;
}

bool Mechanism::applies(std::string_view of_model, std::string_view of_family, const FactRow& row) const {
  const bool side_fits =
      side == ErrorSide::either || (side == ErrorSide::slow ? row.signed_error > 0 : row.signed_error < 0);
  return side_fits && (model == "*" || model == of_model) && (family == "*" || family == of_family) &&
         condition.holds(row.facts);
}

std::vector<Mechanism> parse_mechanisms(std::string_view csv, std::string_view name) {
  const auto table = parse_csv(csv, name);
  const auto column = [&](std::string_view header) {
    if (const auto found = table.column(header)) return *found;
    throw InputError(
        fmt::format("{}: no column '{}', expected id,model,family,condition,error,status,mechanism,evidence",
                    name, header));
  };
  const auto id = column("id"), model = column("model"), family = column("family"),
             condition = column("condition"), error = column("error"), status = column("status"),
             mechanism = column("mechanism"), evidence = column("evidence");
  std::vector<Mechanism> found;
  std::set<std::string> ids;
  for (const auto& row : table.rows) {
    const auto where = fmt::format("{}:{}", name, row.line);
    const auto refuse = [&](std::string_view what, std::string_view expected) {
      throw InputError(fmt::format("{}: {}, expected {}", where, what, expected));
    };
    const auto& f = row.fields;
    for (const auto c : {id, model, family, mechanism, evidence}) {
      if (f[c].empty()) refuse(fmt::format("column '{}' is empty", table.header[c]), "a text");
    }
    if (!ids.insert(f[id]).second) refuse(fmt::format("id '{}' is there twice", f[id]), "one line for each");
    const auto side = std::ranges::find(sides, f[error], [](const auto& s) { return s.first; });
    if (side == sides.end()) refuse(fmt::format("error '{}'", f[error]), "slow, fast or either");
    if (std::ranges::find(statuses, f[status]) == statuses.end())
      refuse(fmt::format("status '{}'", f[status]), "not modelled, in part or open");
    found.push_back({f[id], f[model], f[family], f[condition], Condition::parse(f[condition], where),
                     side->second, f[status], f[mechanism], f[evidence]});
  }
  return found;
}

std::vector<Mechanism> known_mechanisms() {
  for (const auto& file : mechanism_files())
    return parse_mechanisms(file.text, "validation/" + std::string(file.path));
  return {};
}

MechanismEffect effect_of(const Mechanism& mechanism, std::span<const FactRow> rows) {
  std::vector<double> there, elsewhere;
  for (const auto& row : rows)
    (mechanism.condition.holds(row.facts) ? there : elsewhere).push_back(row.signed_error);
  MechanismEffect effect{there.size(), elsewhere.size(), std::nullopt, std::nullopt};
  if (!there.empty()) effect.median_error = median(there);
  if (!elsewhere.empty()) effect.median_elsewhere = median(elsewhere);
  return effect;
}

}  // namespace tilecast
