#pragma once
// Why the worst predictions are off, as far as what is known says: the model's own terms and which of them
// could carry the residual, what our other models say, which rows are off alike, the profiler's counters, and
// the known mechanisms whose condition holds.

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/explanation.hpp"
#include "validation/mechanisms/mechanisms.hpp"
#include "validation/model_query.hpp"
#include "validation/scores.hpp"

namespace tilecast {

struct RowExplanation {
  Prediction prediction;                               // anew, for its limiter and bounds
  std::vector<analytic::ResidualTerm> residual;        // of the analytic model; else empty
  std::vector<std::pair<std::string, double>> others;  // of our other models the signed error
  std::optional<LikeRows> like;
  std::vector<ExplainedCount> counts;   // empty where no profiler counted it
  std::vector<std::string> mechanisms;  // ids
};

// A known mechanism that fits the model and a family and holds for rows of it, and what it tells apart there.
struct FamilyMechanism {
  Mechanism mechanism;
  MechanismEffect effect;
};

class RowExplainer {
 public:
  // `pairs`: every pair of `model`, rows of which are then asked for; both, and the rest, must outlive this.
  // `options`: those of the analytic model; `code`: no more of the machine code is known than that.
  RowExplainer(std::span<const Comparison> pairs, const DeviceProfile& device, const BoundModel& model,
               const analytic::Options& options, std::span<const BoundModel> others = {},
               CodeSource code = CodeSource::own);

  // Of pairs[place], on all cores. Throws what the model throws.
  std::vector<RowExplanation> explain(std::span<const std::size_t> places);
  std::vector<FamilyMechanism> mechanisms(const std::string& family);

 private:
  struct Family;
  const Family& family_of(const std::string& name);
  RowExplanation explained(std::size_t place, const Family& of) const;

  std::span<const Comparison> pairs_;
  const DeviceProfile& device_;
  const BoundModel& model_;
  analytic::Options options_;
  std::span<const BoundModel> others_;
  CodeSource code_;
  std::vector<Mechanism> known_;
  std::map<std::string, Family> families_;

 public:
  ~RowExplainer();
};

// Places of the `count` pairs with the largest relative error, the worst first.
std::vector<std::size_t> worst_places(std::span<const Comparison> pairs, std::size_t count);

// The longest bounds with their share of the time: "issue 54 %, chain 46 %, launch 43 %".
std::string bounds_text(const Prediction& prediction, std::size_t count = 5);
// Counts that the description has more than 3 % off: "sectors of stores 25 % too few"; "as described"; empty
// where nothing was counted.
std::string counts_text(std::span<const ExplainedCount> counts);
// "sim -3.1 %": empty without other models.
std::string others_text(const RowExplanation& explanation);
// Which bounds could carry the error, for the analytic model.
std::string carriers_text(const RowExplanation& explanation);
// One sentence each of what there is, for people.
std::vector<std::string> explanation_sentences(const RowExplanation& explanation);

}  // namespace tilecast
