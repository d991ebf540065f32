#include "cli/models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <ostream>

#include "kernels/simulation/kernel_simulator.hpp"
#include "model/rivals/rivals.hpp"
#include "model/support/nearest.hpp"
#ifdef TILECAST_WITH_CUDA
#  include "kernels/runtime/compile.hpp"
#  include "kernels/sass/disassemble.hpp"
#endif

namespace tilecast {
namespace {

BoundModel bind_plain_analytic(const DeviceProfile&) {
  return bind_analytic({});
}

BoundModel bind_simulator(const DeviceProfile& device) {
#ifdef TILECAST_WITH_CUDA
  // Asked now: without them it would know only the kernels that happen to be cached, no sample of anything.
  compiler_version();
  sass::find_disassembler();
#endif
  const auto simulator = std::make_shared<const KernelSimulator>(device);
  return {"sim",
          [simulator](const ModelQuery& q) -> ModelAnswer {
            return simulator->simulate({&q.family, q.shape, q.config}).prediction;
          },
          [simulator](const ModelQuery& q) {
            try {
              simulator->description({&q.family, q.shape, q.config});
            } catch (const Error&) {
              // predict() says so.
            }
          }};
}

// B1.
BoundModel bind_both(const DeviceProfile& device) {
  const auto sim = bind_simulator(device), analytic = bind_plain_analytic(device);
  return {"both",
          [sim, analytic](const ModelQuery& q) -> ModelAnswer {
            const auto simulated = sim.predict(q), derived = analytic.predict(q);
            for (const auto* said : {&simulated, &derived}) {
              if (std::holds_alternative<Unsupported>(*said)) return *said;
            }
            return between(std::get<Prediction>(simulated), std::get<Prediction>(derived));
          },
          sim.prepare};
}

// A rival by its place in model/rivals' list.
template <std::size_t I>
BoundModel bind_rival(const DeviceProfile&) {
  const auto& rival = rivals::rivals()[I];
  return {std::string(rival.name),
          [&rival](const ModelQuery& q) -> ModelAnswer { return rival.predict(q.kernel, q.device); }};
}

template <std::size_t I>
Model rival_model() {
  const auto& rival = rivals::rivals()[I];
  return {rival.name, rival.summary, ModelKind::rival, true, bind_rival<I>};
}

const std::array<Model, 7>& list() {
  static const std::array<Model, 7> models{
      {{"analytic", "the mechanistic closed form", ModelKind::own, true, bind_plain_analytic},
       {"sim", "the simulator of one SM (needs NVRTC and nvdisasm)", ModelKind::own, false, bind_simulator},
       {"both", "the geometric mean of these two", ModelKind::own, false, bind_both},
       rival_model<0>(),
       rival_model<1>(),
       rival_model<2>(),
       rival_model<3>()}};
  return models;
}

std::vector<std::string> known_names() {
  std::vector<std::string> names{"all", "fast"};
  for (const auto& model : list())
    names.emplace_back(model.name);
  return names;
}

}  // namespace

BoundModel bind_analytic(analytic::Options options) {
  return {"analytic", [options = std::move(options)](const ModelQuery& q) -> ModelAnswer {
            return analytic::predict(q.kernel, q.device, options);
          }};
}

BoundModel bind_unread(const BoundModel& analytic) {
  return {std::string(unread_analytic), [analytic](const ModelQuery& q) -> ModelAnswer {
            const auto kernel = describe_kernel(q.family, q.shape, q.config, q.device);
            return analytic.predict({q.family, q.shape, q.config, q.device, kernel});
          }};
}

std::span<const Model> models() {
  return list();
}

const Model& model_by_name(std::string_view name) {
  const auto found = std::ranges::find(list(), name, &Model::name);
  if (found != list().end()) return *found;
  const std::string hint = name == "paper"
                               ? "the paper's rules choose a config and say no time: they are scored "
                                 "by its regret, beside the models"
                               : nearest_hint(name, known_names());
  throw UsageError(fmt::format("--model '{}': no model that says a time", name), hint);
}

Ties ties_of(std::string_view model) {
  if (is_unread_analytic(model)) return Ties::against;
  const auto found = std::ranges::find(list(), model, &Model::name);
  return found != list().end() && found->kind == ModelKind::own ? Ties::against : Ties::mean;
}

void add_model_option(OptionsDescription& options, const char* default_names) {
  options.add_options()(
      "model",
      boost::program_options::value<std::vector<std::string>>()
          ->composing()
          ->default_value({default_names}, default_names)
          ->value_name("NAME"),
      "models (repeatable, or a comma-separated list); fast: all that need no compiler; all");
}

std::vector<BoundModel> model_option(const OptionValues& values, const DeviceProfile& device,
                                     std::ostream& err) {
  std::vector<std::string> names;
  for (const auto& text : values["model"].as<std::vector<std::string>>()) {
    for (auto& name : split_list(text, "--model"))
      names.push_back(std::move(name));
  }
  const auto asked = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
  for (const auto& name : names) {
    if (name != "all" && name != "fast") model_by_name(name);
  }
  std::vector<BoundModel> bound;
  for (const auto& model : list()) {
    const bool named = asked(model.name);
    if (!named && !asked("all") && !(asked("fast") && model.fast)) continue;
    try {
      bound.push_back(model.bind(device));
    } catch (const UnavailableError& error) {
      if (named) throw;
      err << fmt::format("skipped: {}: {}\n", model.name, error.what());
    }
  }
  return bound;
}

void add_interval_option(OptionsDescription& options) {
  options.add_options()(
      "interval",
      boost::program_options::value<std::string>()
          ->default_value("calibrated")
          ->value_name("calibrated|parameters"),
      "90 % interval: of the profile's parameters and the noise of runs, widened by the model's mistakes on "
      "recorded rows; or of the parameters alone");
}

Calibration interval_option(const OptionValues& values, const DeviceProfile& device) {
  const std::vector<std::string> known{"calibrated", "parameters"};
  const auto& name = values["interval"].as<std::string>();
  if (std::ranges::find(known, name) == known.end())
    throw UsageError(fmt::format("--interval '{}'", name), nearest_hint(name, known));
  return name == "calibrated" ? recorded_calibration(device.gpu_name) : Calibration{};
}

std::string interval_text(const Prediction& bare, std::string_view model, std::string_view family,
                          const Calibration& calibration) {
  const auto percent = [](double low, double high) {
    return fmt::format("{:+.2f} {:+.2f} %", 100 * (low - 1), 100 * (high - 1));
  };
  auto text =
      fmt::format("parameters of the device {}", percent(bare.low / bare.time, bare.high / bare.time));
  const auto* entry = calibration.find(model, family, bare.code);
  if (!entry) return text + ", not calibrated";
  if (const auto* n = noise_of(bare.time, calibration.noise))
    text += ", noise of runs " + percent(std::exp(n->low_log), std::exp(n->high_log));
  return text + fmt::format(", calibrated by {} recorded rows {}", entry->rows,
                            percent(std::exp(entry->low_log), std::exp(entry->high_log)));
}

}  // namespace tilecast
