#pragma once
// THE list of models that say a time: ours, and their rivals. compare, the blind protocol and the report take
// them from here.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "model/analytic/analytic.hpp"
#include "validation/calibration.hpp"
#include "validation/model_query.hpp"
#include "validation/scores.hpp"

namespace tilecast {

enum class ModelKind { own, rival };

struct Model {
  std::string_view name;
  std::string_view summary;
  ModelKind kind = ModelKind::own;
  bool fast = true;  // microseconds a config; else it needs the compiler and milliseconds
  // Throws UnavailableError where it cannot work at all. The profile must outlive the result.
  BoundModel (*bind)(const DeviceProfile& device);
};

std::span<const Model> models();

// Throws UsageError with the nearest name.
const Model& model_by_name(std::string_view name);

// How a model's ties are scored; a name that is not on the list is a rival of another version.
Ties ties_of(std::string_view model);

// --model NAME[,NAME...]|all|fast
void add_model_option(OptionsDescription& options, const char* default_names);
// Of --model, each once and in the order of the list. A model that was not named but came with "all" and
// cannot work here is left out, with a note on `err`.
std::vector<BoundModel> model_option(const OptionValues& values, const DeviceProfile& device,
                                     std::ostream& err);

// --interval calibrated|parameters: whether the models' own mistakes on recorded rows widen their intervals.
void add_interval_option(OptionsDescription& options);
// What the intervals are calibrated with; no entries for --interval parameters or a GPU without recorded
// rows.
Calibration interval_option(const OptionValues& values, const DeviceProfile& device);

// What the 90 % interval of a prediction holds, one part after the other; `bare`: as the model gave it.
std::string interval_text(const Prediction& bare, std::string_view model, std::string_view family,
                          const Calibration& calibration);

// The analytic model with some bounds switched off.
BoundModel bind_analytic(analytic::Options options);

// What a freeze holds of the analytic model beside the time that it gives a kernel whose own code was read,
// and what it is by default for a layer that nobody recorded: `predict`, which compiles nothing, and `predict
// --read-code` among the configs that were drawn of a layer and family. On no list: --model names neither.
inline constexpr std::string_view unread_analytic = "analytic_similar";
inline constexpr std::size_t read_by_choice = 3;
inline constexpr std::string_view read_choice_analytic = "analytic_read_3";
inline bool is_unread_analytic(std::string_view model) {
  return model == unread_analytic || model == read_choice_analytic;
}

// The first of them: by the committed code of the kernel, else the most similar one, whatever the query's
// description rests on.
BoundModel bind_unread(const BoundModel& analytic);

}  // namespace tilecast
