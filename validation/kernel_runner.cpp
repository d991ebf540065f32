#include "validation/kernel_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <unordered_map>

#include "validation/compile_ahead.hpp"
#include "validation/reference.hpp"

namespace tilecast {
namespace {

// Kernels loaded once and kept: a specialisation serves many configs and layers.
class KernelCache {
 public:
  const Kernel& get(const Specialisation& code, const CompiledCode& compiled) {
    constexpr std::size_t limit = 4096;  // modules; each takes device memory
    if (kernels_.size() >= limit) kernels_.clear();
    const auto key = code.key();
    const auto found = kernels_.find(key);
    if (found != kernels_.end()) return found->second;
    return kernels_.emplace(key, Kernel(compiled, code.entry)).first->second;
  }

 private:
  std::unordered_map<std::string, Kernel> kernels_;
};

std::vector<Specialisation> specialisations(const WorkList& work, std::span<const SuiteLayer> layers,
                                            const DeviceProfile& device) {
  std::vector<Specialisation> codes;
  for (const auto& group : work.groups) {
    for (const auto& config : group.configs)
      codes.push_back(group.family->plan(layers[group.layer].layer.shape, config, device).code);
  }
  return codes;
}

// What one config is run with.
struct Bench {
  Gpu& gpu;
  GpuReference& reference;
  CompileAhead& ahead;
  KernelCache& kernels;
  const RunOptions& options;
};

// The first line: a compiler's log or a driver's message must not break a CSV row.
std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

OutputCheck launch_and_check(Bench& bench, const Kernel& kernel, const LaunchPlan& plan,
                             LayerTensors& tensors) {
  const std::uint64_t addresses[] = {tensors.input.address(), tensors.filters.address(),
                                     tensors.output.address()};
  bench.reference.poison(tensors.output);
  bench.gpu.launch(kernel, plan, addresses);
  return bench.reference.check(tensors);
}

// Fills status, error, time and clock of `row`. A CudaError that leaves the context usable becomes a status.
void measure(Bench& bench, const LaunchPlan& plan, LayerTensors& tensors, MeasuredRow& row) {
  const auto& outcome = bench.ahead.get(plan.code);
  if (!outcome.code) {
    row.status = "does not compile: " + first_line(outcome.problem);
    return;
  }
  row.code_hash = outcome.code->record.code_hash;
  const auto& kernel = bench.kernels.get(plan.code, *outcome.code);
  const double tolerance = float32_tolerance(tensors.shape);
  auto check = launch_and_check(bench, kernel, plan, tensors);
  row.max_rel_error = check.max_rel_error;
  row.status = wrong_result(check, tolerance);
  if (!row.status.empty()) return;

  const std::uint64_t addresses[] = {tensors.input.address(), tensors.filters.address(),
                                     tensors.output.address()};
  const auto timing = bench.gpu.time(kernel, plan, addresses, bench.options.timing);
  // Once more after thousands of launches back to back: a race may need them to show.
  check = bench.reference.check(tensors);
  row.max_rel_error = std::max(*row.max_rel_error, check.max_rel_error);
  row.status = wrong_result(check, tolerance);
  if (!row.status.empty()) return;

  row.status = "ok";
  row.time = Seconds{timing.median_s};
  row.time_p10 = Seconds{timing.p10_s};
  row.time_p90 = Seconds{timing.p90_s};
  row.samples = static_cast<long>(timing.samples_s.size());
  row.sm_clock = Frequency{timing.sm_clock_hz};
}

}  // namespace

RunTotals run_kernels(Gpu& gpu, GpuReference& reference, const WorkList& work,
                      std::span<const SuiteLayer> layers, const DeviceProfile& device, Writers& writers,
                      const RunOptions& options, RunMonitor& monitor, std::ostream& err) {
  RunTotals totals;
  monitor.begin(work.configs);
  KernelCache kernels;
  CompileAhead ahead(specialisations(work, layers, device), kernel_sources(), gpu.info().architecture,
                     options.compile_jobs);
  Bench bench{gpu, reference, ahead, kernels, options};
  LayerTensors tensors;
  std::optional<std::size_t> current;
  for (const auto& group : work.groups) {
    const auto& [suite, layer] = layers[group.layer];
    if (monitor.out_of_time()) break;
    if (current != group.layer) {
      tensors = {};  // freed before the next layer's are taken
      tensors = reference.make_tensors(layer.shape, options.seed);
      current = group.layer;
    }
    auto& writer = *writers.find(group.family->name)->second;
    for (const auto& config : group.configs) {
      if (monitor.out_of_time()) {
        totals.stopped = true;
        return totals;
      }
      MeasuredRow row;
      row.family = group.family->name;
      row.layer = layer.id;
      row.suite = suite;
      row.problem = layer.shape;
      row.config = config_text(config);
      row.tool_version = options.tool_version;
      try {
        measure(bench, group.family->plan(layer.shape, config, device), tensors, row);
      } catch (const CudaError& error) {
        row.status = error.name;
        row.time.reset();
        writer.append(row);
        err << fmt::format("validate: {}: {}\n", row_key(row), error.what());
        gpu.synchronize();  // throws when the context is lost: nothing more can run in this process
        ++totals.rows;
        ++totals.wrong;
        monitor.row_done(layer.id);
        continue;
      }
      writer.append(row);
      ++totals.rows;
      if (row.status != "ok") {
        ++totals.wrong;
        err << fmt::format("validate: {}: {}\n", row_key(row), row.status);
      }
      monitor.row_done(fmt::format("{} {}", row.family, layer.id));
    }
  }
  totals.stopped = totals.rows < work.configs;
  return totals;
}

CheckTotals run_checks(Gpu& gpu, GpuReference& reference, std::span<const CheckCase> cases,
                       const DeviceProfile& device, const RunOptions& options, std::ostream& err) {
  CheckTotals totals;
  std::vector<Specialisation> codes;
  std::vector<const CheckCase*> feasible;
  for (const auto& c : cases) {
    const auto refused = c.family->supports(c.shape);
    const auto unfit = refused ? refused : c.family->feasible(c.shape, c.config, device);
    if (unfit) {
      ++totals.infeasible;
      err << fmt::format("skipped: {} {} {}: {}\n", c.family->name, describe_shape(c.shape),
                         describe_config(c.config), unfit->reason);
      continue;
    }
    feasible.push_back(&c);
    codes.push_back(c.family->plan(c.shape, c.config, device).code);
  }
  KernelCache kernels;
  CompileAhead ahead(codes, kernel_sources(), gpu.info().architecture, options.compile_jobs);
  Bench bench{gpu, reference, ahead, kernels, options};
  for (const auto* c : feasible) {
    const auto plan = c->family->plan(c->shape, c->config, device);
    const auto& outcome = ahead.get(plan.code);
    auto problem = outcome.problem;
    if (outcome.code) {
      auto tensors = reference.make_tensors(c->shape, options.seed);
      const auto check = launch_and_check(bench, kernels.get(plan.code, *outcome.code), plan, tensors);
      problem = wrong_result(check, float32_tolerance(c->shape));
    }
    ++(problem.empty() ? totals.right : totals.wrong);
    if (!problem.empty()) {
      err << fmt::format("{} {} {} (seed {}): {}\n", c->family->name, describe_shape(c->shape),
                         describe_config(c->config), options.seed, problem);
    }
  }
  return totals;
}

}  // namespace tilecast
