#include "validation/mechanisms/mechanisms.hpp"

#include <algorithm>
#include <set>

#include "kernels/family.hpp"
#include "model/device/load.hpp"
#include "model/support/errors.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

RowFacts facts() {
  return {{{"blocks", 100}, {"sms", 132}, {"out_w", 30}, {"P", 4}}};
}

bool holds(std::string_view text) {
  return Condition::parse(text, "here").holds(facts());
}

std::string refusal(std::string_view text) {
  try {
    Condition::parse(text, "here");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

constexpr const char* header = "id,model,family,condition,error,status,mechanism,evidence\n";

}  // namespace

TEST_CASE("mechanisms: conditions are comparisons of facts with numbers and facts, all of which hold") {
  CHECK(holds("blocks < sms"));
  CHECK_FALSE(holds("blocks > sms"));
  CHECK(holds("out_w mod 4 != 0"));
  CHECK(holds("out_w mod 4 = 2 and P >= 4"));
  CHECK_FALSE(holds("out_w mod 4 = 2 and P > 4"));
  CHECK(holds("P <= 4 and blocks = 100"));
  CHECK_FALSE(holds("Q = 1"));   // a fact that the row does not have
  CHECK_FALSE(holds("Q != 1"));  // neither
  CHECK(Condition::parse("blocks < sms and P = 4", "here").names() ==
        std::vector<std::string>{"blocks", "sms", "P"});
}

TEST_CASE("mechanisms: a broken condition says where, what and what was expected") {
  CHECK(refusal("") == "here: condition '': ends early, expected a fact's name");
  CHECK(refusal("P 4") == "here: condition 'P 4': '4', expected =, !=, <, <=, > or >=");
  CHECK(refusal("P = ") == "here: condition 'P = ': ends early, expected a number or a fact's name");
  CHECK(refusal("P mod 0 = 1") == "here: condition 'P mod 0 = 1': '0', expected a positive number");
  CHECK(refusal("P = 4 or P = 5") == "here: condition 'P = 4 or P = 5': 'or', expected and");
  CHECK(refusal("P = 4 and") == "here: condition 'P = 4 and': ends early, expected a fact's name");
  CHECK(refusal("4 = P") == "here: condition '4 = P': '4', expected a fact's name");
}

TEST_CASE("mechanisms: a line applies to its model, family and direction, where its condition holds") {
  const auto known =
      parse_mechanisms(std::string(header) +
                           "few,analytic,toy,blocks < sms,slow,not modelled,what happens,where it is shown\n",
                       "m.csv");
  REQUIRE(known.size() == 1);
  const FactRow slow{facts(), "l", 0.2}, fast{facts(), "l", -0.2};
  CHECK(known[0].applies("analytic", "toy", slow));
  CHECK_FALSE(known[0].applies("analytic", "toy", fast));
  CHECK_FALSE(known[0].applies("sim", "toy", slow));
  CHECK_FALSE(known[0].applies("analytic", "other", slow));
  const auto effect =
      effect_of(known[0], std::vector<FactRow>{slow, slow, {{{{"blocks", 500}, {"sms", 132}}}, "m", 0.01}});
  CHECK(effect.rows == 2);
  CHECK(*effect.median_error == Approx(0.2));
  CHECK(*effect.median_elsewhere == Approx(0.01));
}

TEST_CASE("mechanisms: broken lines are refused by place") {
  const auto refused = [](const std::string& line) {
    try {
      parse_mechanisms(header + line, "m.csv");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refused("a,*,*,P = 1,slwo,open,w,e\n") == "m.csv:2: error 'slwo', expected slow, fast or either");
  CHECK(refused("a,*,*,P = 1,slow,opne,w,e\n") ==
        "m.csv:2: status 'opne', expected not modelled, in part or open");
  CHECK(refused("a,*,*,P = 1,slow,open,w,\n") == "m.csv:2: column 'evidence' is empty, expected a text");
  CHECK(refused("a,*,*,P = 1,slow,open,w,e\na,*,*,P = 1,slow,open,w,e\n") ==
        "m.csv:3: id 'a' is there twice, expected one line for each");
}

// The committed list: families, models and facts that exist.
TEST_CASE("mechanisms: the committed list speaks of families and facts that there are") {
  const auto known = known_mechanisms();
  CHECK(known.size() >= 5);
  std::set<std::string_view> facts(common_facts().begin(), common_facts().end());
  for (const auto& mechanism : known) {
    INFO(mechanism.id);
    CHECK((mechanism.model == "analytic" || mechanism.model == "sim" || mechanism.model == "*"));
    std::set<std::string_view> allowed = facts;
    if (mechanism.family != "*") {
      const auto& family = family_by_name(mechanism.family);
      const ConvShape shape{
          .C = mechanism.family == "chang_single" ? 1 : 64, .H = 32, .W = 32, .M = 64, .K = 1};
      const auto configs = family.configs(shape, load_device("h200"));
      for (const auto& axis : configs.front().values())
        allowed.insert(axis.name);
    }
    for (const auto& name : mechanism.condition.names())
      CHECK(allowed.contains(name));
  }
}
