#pragma once
// Known reasons why a model is off, written by hand: mechanisms.csv, a line each. A line says where it
// applies (family, a condition on a row's facts, the direction of the error), what happens there, whether a
// model has it by now, and what shows it. That a condition holds for a row makes the mechanism a candidate;
// how far off the rows are where it holds, and where not, says whether it is one. Pure.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "validation/mechanisms/row_facts.hpp"

namespace tilecast {

// "blocks < sms and out_w mod 4 != 0": comparisons, all of which must hold.
class Condition {
 public:
  // Throws InputError "where: condition '...': ..., expected ...".
  static Condition parse(std::string_view text, std::string_view where);
  // A fact that the row does not have makes it false.
  bool holds(const RowFacts& facts) const;
  // The facts that it asks for.
  std::vector<std::string> names() const;

 private:
  enum class Relation { equal, unequal, less, at_most, more, at_least };
  struct Comparison {
    std::string name;
    double modulus = 0;  // 0: none
    Relation relation = Relation::equal;
    std::string other;  // a fact's name; empty: `number`
    double number = 0;
  };
  std::vector<Comparison> all_;
};

enum class ErrorSide { slow, fast, either };  // predicted too slow, too fast

struct Mechanism {
  std::string id;
  std::string model, family;  // "*": any
  std::string condition_text;
  Condition condition;
  ErrorSide side = ErrorSide::either;
  std::string status;     // "not modelled", "in part", "open": what happens there is not known
  std::string mechanism;  // one sentence
  std::string evidence;   // where it is shown

  // Whether it may be the reason for this row's error.
  bool applies(std::string_view of_model, std::string_view of_family, const FactRow& row) const;
};

// mechanisms.csv as it is compiled in.
std::vector<Mechanism> known_mechanisms();
// Throws InputError "name:line: ..." for a broken line.
std::vector<Mechanism> parse_mechanisms(std::string_view csv, std::string_view name);

// How far off a family's rows are where the condition holds, and where it does not.
struct MechanismEffect {
  std::size_t rows = 0, others = 0;
  std::optional<double> median_error, median_elsewhere;  // signed; nothing without rows
};
MechanismEffect effect_of(const Mechanism& mechanism, std::span<const FactRow> rows);

}  // namespace tilecast
