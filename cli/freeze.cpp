#include "cli/freeze.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <ostream>
#include <thread>

#include "cli/models.hpp"
#include "cli/program.hpp"
#include "cli/read_codes.hpp"
#include "kernels/family.hpp"
#include "model/device/load.hpp"
#include "model/device/occupancy.hpp"
#include "model/support/csv.hpp"
#include "model/support/parallel.hpp"
#include "model/support/sha256.hpp"
#include "validation/blind/folder.hpp"
#include "validation/blind/partial.hpp"
#include "validation/blind/picks.hpp"
#include "validation/blind/read_choice.hpp"
#include "validation/measurement_store.hpp"

namespace tilecast {
namespace {

FrozenRow row_of(const BlindPick& pick, const CodeRecord& code) {
  return {.development = pick.development,
          .family = std::string(pick.family->name),
          .layer = pick.layer,
          .suite = pick.suite,
          .problem = pick.problem,
          .config = describe_config(pick.config),
          .drawn = pick.drawn,
          .paper_choice = pick.paper_choice,
          .code_hash = code.code_hash,
          .times = {},
          .unpredicted = ""};
}

// Every model's time of the pick; none of what is chosen when all are there.
void predict_row(FrozenRow& row, const BlindPick& pick, const KernelDescription& kernel,
                 const DeviceProfile& device, const std::vector<BoundModel>& models) {
  for (const auto& model : models) {
    if (!model.predict) {
      row.times.push_back(std::nullopt);
      continue;
    }
    const auto said = answer(model, {*pick.family, pick.problem, pick.config, device, kernel});
    if (const auto* p = std::get_if<Prediction>(&said)) {
      row.times.push_back(FrozenTime{p->time, p->low, p->high});
    } else {
      row.times.push_back(std::nullopt);
      row.unpredicted += fmt::format("{}{}: {}", row.unpredicted.empty() ? "" : "; ", model.name,
                                     std::get<Unsupported>(said).reason);
    }
  }
  std::ranges::replace(row.unpredicted, '\n', ' ');
}

// Behind the analytic model what it says of kernels whose code nobody has read, and a place for the choice
// among them.
void add_unread(std::vector<BoundModel>& models) {
  const auto analytic = std::ranges::find(models, "analytic", &BoundModel::name);
  if (analytic == models.end()) return;
  models.insert(analytic + 1, {bind_unread(*analytic), {std::string(read_choice_analytic), {}, {}}});
}

void add_read_choice(FrozenPredictions& frozen) {
  const auto place = [&](std::string_view model) {
    return static_cast<std::size_t>(std::ranges::find(frozen.models, model) - frozen.models.begin());
  };
  if (place(read_choice_analytic) == frozen.models.size()) return;
  read_fastest(
      frozen.rows,
      {.own = place("analytic"), .unread = place(unread_analytic), .chosen = place(read_choice_analytic)},
      read_by_choice);
}

std::vector<Suite> layers_to_freeze(const OptionValues& values) {
  if (values.count("layers") || values.count("conv") || values.count("gemm")) return layers_option(values);
  return evaluation_suites(seed_option(values));
}

void refuse_overwriting(const std::string& folder) {
  for (const auto& path : {frozen_path(folder), measured_folder(folder)}) {
    if (std::filesystem::exists(path)) {
      throw InputError(fmt::format("{}: exists; frozen predictions are never written over", path),
                       "freeze into another folder");
    }
  }
}

std::string summary(const FrozenPredictions& frozen) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> counts;  // family -> development, evaluation
  for (const auto& row : frozen.rows)
    ++(row.development ? counts[row.family].first : counts[row.family].second);
  std::string text;
  for (const auto& [family, n] : counts)
    text += fmt::format("  {}: {} of evaluation, {} of development data\n", family, n.second, n.first);
  return text;
}

// What is frozen, before any row of it is predicted.
struct Task {
  DeviceProfile device;
  Calibration calibration;
  std::vector<BoundModel> models;
  BlindOptions options;
  std::vector<BlindPick> picks;
};

Task task_of(const OptionValues& values, std::ostream& err) {
  Task task{.device = device_option(values), .calibration = {}, .models = {}, .options = {}, .picks = {}};
  const auto& device = task.device;
  const auto families = families_option(values);
  task.options.sample = configs_option(values).value_or(task.options.sample);
  task.options.seed = seed_option(values);
  task.calibration = interval_option(values, device);
  for (auto& model : model_option(values, device, err))
    task.models.push_back(calibrated(std::move(model), task.calibration));
  add_unread(task.models);

  const auto recorded = recorded_measurements(device.gpu_name);
  std::size_t known = 0;
  const auto layers = unseen_layers(distinct_layers(layers_to_freeze(values)), recorded, known);
  if (known > 0 && !quiet_option(values)) {
    err << fmt::format("validate: {} recorded for this GPU: development data, not evaluated\n",
                       known == 1 ? "1 layer is" : fmt::format("{} layers are", known));
  }
  auto evaluation = evaluation_picks(layers, families, device, task.options);
  // As many layers of development data as of evaluation data; without any of these, all.
  constexpr auto all = std::numeric_limits<std::size_t>::max();
  task.picks = development_picks(recorded, families, device, task.options,
                                 evaluation.empty() ? all : layers_of_families(evaluation));
  std::ranges::move(evaluation, std::back_inserter(task.picks));
  return task;
}

int jobs_option(const OptionValues& values) {
  if (!values.count("jobs")) return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const int jobs = values["jobs"].as<int>();
  if (jobs < 1) throw UsageError(fmt::format("--jobs {}: expected a number above 0", jobs));
  return jobs;
}

// Of a task, still without rows.
FrozenPredictions frozen_of(const Task& task, const std::string& compiler) {
  FrozenPredictions frozen{.tool_version = std::string(program_version()),
                           .device = task.device.name,
                           .gpu_name = task.device.gpu_name,
                           .device_sha256 = sha256_hex(format_device(task.device)),
                           .compiler = compiler,
                           .calibration = task.calibration.source(),
                           .seed = task.options.seed,
                           .sample = task.options.sample,
                           .models = {},
                           .rows = {},
                           .sha256 = ""};
  for (const auto& model : task.models)
    frozen.models.push_back(model.name);
  return frozen;
}

// Picks that cannot be predicted.
struct LeftOut {
  std::size_t without_code = 0, misfits = 0;
};

// A row for every pick that has code and fits on an SM; what `partial` holds of an interrupted run is taken
// from there, the rest is added to it row by row.
std::vector<FrozenRow> predict_rows(const Task& task, const ReadCodes& codes,
                                    std::span<const CodeLaunch> launches, PartialPredictions& partial,
                                    int jobs, LeftOut& left_out, std::ostream* progress) {
  const auto& picks = task.picks;
  std::vector<std::optional<FrozenRow>> rows(picks.size());
  std::mutex mutex;
  std::size_t done = 0;
  parallel_for(picks.size(), static_cast<unsigned>(jobs), [&](std::size_t i) {
    const auto& pick = picks[i];
    const CodeRecord* code = codes.find(launches[i].plan.code.key());
    std::optional<KernelDescription> kernel;
    if (code) kernel = pick.family->describe(pick.problem, pick.config, task.device, code);
    const bool fits = kernel && occupancy(kernel->launch, task.device).blocks_per_sm > 0;
    bool fresh = false;
    if (fits) {
      rows[i] = row_of(pick, *code);
      if (const auto* before = partial.find(*rows[i])) {
        rows[i]->times = before->times;
        rows[i]->unpredicted = before->unpredicted;
      } else {
        predict_row(*rows[i], pick, *kernel, task.device, task.models);
        fresh = true;
      }
    }
    const std::lock_guard lock(mutex);
    if (fresh) partial.append(*rows[i]);
    left_out.without_code += !kernel;
    left_out.misfits += kernel && !fits;
    const auto step = std::max<std::size_t>(picks.size() / 20, 1);
    if (progress && (++done % step == 0 || done == picks.size()))
      *progress << fmt::format("validate: predicted {} of {}\n", done, picks.size());
  });
  std::vector<FrozenRow> predicted;
  for (auto& row : rows) {
    if (row) predicted.push_back(std::move(*row));
  }
  return predicted;
}

// Returns the file's path.
std::string write_frozen(const std::string& folder, const std::string& text) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw Error(ExitCode::failure, fmt::format("{}: cannot be made: {}", folder, failed.message()));
  auto path = frozen_path(folder);
  write_file(path, text);
  return path;
}

}  // namespace

std::vector<Suite> evaluation_suites(std::uint64_t seed) {
  std::vector<Suite> suites{load_suite("resnet50"), load_suite("vgg16"), load_suite("googlenet"),
                            load_suite("im2win")};
  for (auto& suite : suites) {
    const std::int64_t batch = suite.name == "im2win" ? 128 : 1;
    std::erase_if(suite.layers, [&](const Layer& layer) { return layer.shape.N != batch; });
  }
  suites.push_back(load_suite(fmt::format("random:40:{}", seed)));
  return suites;
}

std::string program_sha256() {
  return sha256_hex(read_file("/proc/self/exe"));
}

ExitCode run_freeze(const OptionValues& values, CommandStreams streams) {
  const auto folder = values["freeze"].as<std::string>();
  refuse_overwriting(folder);
  const bool quiet = quiet_option(values);
  const auto task = task_of(values, streams.err);
  const int jobs = jobs_option(values);
  ReadCodes codes(task.device, "validate", jobs, streams.err);
  std::vector<CodeLaunch> launches;
  for (const auto& pick : task.picks)
    launches.push_back(code_launch(*pick.family, pick.problem, pick.config, task.device));
  codes.read(launches);

  auto frozen = frozen_of(task, codes.compiler());
  PartialPredictions partial(folder, frozen, program_sha256());
  if (partial.size() > 0 && !quiet)
    streams.err << fmt::format("validate: {} rows were predicted before\n", partial.size());
  LeftOut left_out;
  frozen.rows = predict_rows(task, codes, launches, partial, jobs, left_out, quiet ? nullptr : &streams.err);
  add_read_choice(frozen);
  if (frozen.rows.empty()) throw InputError("validate: nothing to predict: see -l and -f");
  if (!quiet && left_out.without_code + left_out.misfits > 0) {
    streams.err << fmt::format(
        "validate: left out: {} that do not compile, {} of which no block fits on an SM\n",
        left_out.without_code, left_out.misfits);
  }
  const auto text = format_frozen(frozen);
  const auto path = write_frozen(folder, text);
  partial.remove();
  streams.out << fmt::format(
      "{}: {} rows, sha256 {}\n{}commit it, then on that GPU: tilecast validate --blind {}\n", path,
      frozen.rows.size(), parse_frozen(text, path).sha256, summary(frozen), folder);
  return ExitCode::success;
}

}  // namespace tilecast
