// devices list / show / check / compare / import / schema: device profiles, with the source of each value.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ostream>

#include "cli/commands.hpp"
#include "cli/devices_compare.hpp"
#include "cli/options.hpp"
#include "cli/table.hpp"
#include "model/device/check.hpp"
#include "model/device/derived.hpp"
#include "model/device/load.hpp"
#include "model/device/parameters.hpp"
#include "model/support/nearest.hpp"

namespace tilecast {

namespace {

namespace po = boost::program_options;

ExitCode list_devices(const OptionValues& values, CommandStreams streams) {
  ResultTable table({{"name", "name"},
                     {"gpu_name", "GPU"},
                     {"compute_capability", "cc"},
                     {"sm_count", "SMs"},
                     {"sm_clock_hz", "clock [MHz]", 6, 1e6},
                     {"dram_peak_bytes_per_s", "DRAM peak [GB/s]", 4, 1e9},
                     {"dram_latency_cycles", "DRAM latency [cycles]"},
                     {"measured_on", "measured on"}});
  for (const auto& name : device_names()) {
    const DeviceProfile device = load_device(name);
    const auto optional_text = [](const std::string& text) { return text.empty() ? Cell{} : Cell{text}; };
    table.add({device.name, device.gpu_name,
               fmt::format("{}.{}", device.compute_capability_major, device.compute_capability_minor),
               device.sm_count.get(), device.sm_clock.get().value(), device.dram_peak.get().value(),
               device.dram_latency.present() ? Cell{device.dram_latency.get().value()} : Cell{},
               optional_text(device.measured_on)});
  }
  write_output(values, table.format(format_option(values)), streams.out);
  return ExitCode::success;
}

std::string interval_text(const ParameterInfo& info, std::string_view unit) {
  std::string text;
  if (info.low && info.high)
    text = fmt::format("{} .. {}", for_people(*info.low, unit), for_people(*info.high, unit));
  if (info.samples) text += fmt::format("{}n = {}", text.empty() ? "" : ", ", *info.samples);
  return text;
}

// N_FMA and V_s in every convention that papers use, by name, so that no reader takes one for another.
std::string derived_text(const DeviceProfile& device) {
  if (!device.dram_latency.present())
    return "Derived: none, the profile has no dram_latency_cycles (measure --only latency)\n";
  if (const auto missing = missing_requirements(device); !missing.empty())
    return fmt::format("Derived: none, the profile is partial; it has no {}\n", fmt::join(missing, ", "));
  ResultTable table({{"constant", "derived"},
                     {"value", "value"},
                     {"interval", "from .. to"},
                     {"a_sm", "an SM"},
                     {"convention", "convention"}});
  const double sms = static_cast<double>(device.sm_count.get());
  for (const DerivedValue& derived : derived_values(device)) {
    const Estimate& e = derived.estimate;
    const auto shown = [&](double value) {
      return derived.unit == "bytes" ? fmt::format("{:.0f} bytes", value) : fmt::format("{:.5g}", value);
    };
    table.add({derived.key, shown(e.value),
               e.low < e.high ? Cell{fmt::format("{} .. {}", shown(e.low), shown(e.high))} : Cell{},
               derived.unit == "bytes" ? Cell{fmt::format("{:.1f} KiB", e.value / sms / 1024)} : Cell{},
               derived.convention});
  }
  std::string out = table.text();
  if (!device.v_s_95.present())
    out += "V_s measured: absent (tilecast measure --only dram_bandwidth, on that GPU)\n";
  return out;
}

// What no prediction depends on has none of these.
Cell models_cell(std::string_view key) {
  return read_by_models(key) ? Cell{"read"} : Cell{};
}

Cell text_cell(const std::string& text) {
  return text.empty() ? Cell{} : Cell{text};
}

std::string values_text(const DeviceProfile& device) {
  ResultTable table({{"key"}, {"value"}, {"interval", "95 % interval"}, {"kind"}, {"models"}, {"source"}});
  for (const auto& row : parameter_rows()) {
    const auto value = row.get(device);
    if (!value) continue;
    const auto& info = row.info(device);
    table.add({std::string(row.key), for_people(*value, row.unit), text_cell(interval_text(info, row.unit)),
               std::string(source_kind_name(info.provenance.kind)), models_cell(row.key),
               info.provenance.source});
    for (const auto& other : info.alternatives)
      table.add({"  alternative", for_people(other.value, row.unit), Cell{},
                 std::string(source_kind_name(other.provenance.kind)), Cell{}, other.provenance.source});
  }
  return fmt::format("\n{}", table.text());
}

std::string curves_text(const DeviceProfile& device) {
  ResultTable curves({{"curve", "curve"},
                      {"points", "points"},
                      {"range", "range"},
                      {"models", "models"},
                      {"source", "source"}});
  for (const auto& row : curve_rows()) {
    const Curve& curve = device.*row.member;
    if (!curve.present()) continue;
    curves.add({std::string(row.key), static_cast<std::int64_t>(curve.x.size()),
                fmt::format("{} .. {}: {} .. {}", for_people(curve.x.front(), row.x_unit),
                            for_people(curve.x.back(), row.x_unit), for_people(curve.y.front(), row.y_unit),
                            for_people(curve.y.back(), row.y_unit)),
                models_cell(row.key), curve.provenance.source});
  }
  for (const auto& row : table_rows()) {
    const Table2D& grid = device.*row.member;
    if (!grid.present()) continue;
    curves.add({std::string(row.key), static_cast<std::int64_t>(grid.y.size()),
                fmt::format("{} x {}", grid.rows.size(), grid.columns.size()), models_cell(row.key),
                grid.provenance.source});
  }
  return curves.size() > 0 ? fmt::format("\n{}", curves.text()) : "";
}

std::string runs_text(const DeviceProfile& device) {
  ResultTable runs({{"run"},
                    {"seconds", "time [s]", 3},
                    {"sm_clock_before_hz", "SM clock before [MHz]", 5, 1e6},
                    {"sm_clock_after_hz", "after [MHz]", 5, 1e6},
                    {"power_w", "power [W]", 4},
                    {"throttled", "held down by"},
                    {"code"},
                    {"machine_code", "machine code"},
                    {"problem", "not measured"}});
  const auto number = [](const std::optional<double>& value) { return value ? Cell{*value} : Cell{}; };
  for (const MeasurementRun& run : device.runs)
    runs.add({run.id + (run.quick ? " (quick)" : ""), number(run.seconds), number(run.sm_clock_before_hz),
              number(run.sm_clock_after_hz), number(run.power_w),
              text_cell(fmt::format("{}", fmt::join(run.throttled, ", "))), text_cell(run.code),
              text_cell(run.machine_code), text_cell(run.problem)});
  return runs.size() > 0 ? fmt::format("\n{}", runs.text()) : "";
}

std::string conditions_text(const Conditions& conditions) {
  if (!conditions.known()) return "";
  const auto state = [](const std::optional<bool>& on) { return !on ? "unknown" : *on ? "on" : "off"; };
  std::string text = fmt::format(
      "\nPCI id {}, ECC {}, MIG {}, power limit {}\n",
      conditions.pci_id.empty() ? "unknown" : conditions.pci_id, state(conditions.ecc), state(conditions.mig),
      conditions.power_limit_w ? fmt::format("{:.0f} W", *conditions.power_limit_w) : "unknown");
  for (const auto& warning : conditions.warnings)
    text += fmt::format("warning: {}\n", warning);
  return text;
}

std::string absent_text(const DeviceProfile& device) {
  std::string absent;
  for (const auto& row : parameter_rows()) {
    if (!row.get(device)) absent += fmt::format("{}{}", absent.empty() ? "" : ", ", row.key);
  }
  return absent.empty() ? "" : fmt::format("\nNot in this profile: {}\n", absent);
}

std::string device_text(const DeviceProfile& device) {
  std::string out = fmt::format("{}: {}, compute capability {}.{}\n", device.name, device.gpu_name,
                                device.compute_capability_major, device.compute_capability_minor);
  if (!device.measured_on.empty())
    out += fmt::format("measured on {}, driver {}, toolkit {}\n", device.measured_on, device.driver,
                       device.toolkit);
  out += values_text(device) + curves_text(device);
  out += "\nmodels: what predictions read; the others are measured to be shown, compared and checked\n";
  return out + runs_text(device) + conditions_text(device.conditions) + absent_text(device) + "\n" +
         derived_text(device);
}

ExitCode show_devices(const OptionValues& values, const std::vector<std::string>& names,
                      CommandStreams streams) {
  if (names.size() != 1)
    throw UsageError("devices show: expected one device", "usage: tilecast devices show NAME|FILE");
  const DeviceProfile device = load_device(names.front(), Completeness::partial);
  const Format format = format_option(values);
  if (format == Format::table) {
    write_output(values, device_text(device), streams.out);
  } else if (format == Format::json) {
    write_output(values, format_device(device), streams.out);
  } else {
    throw UsageError("devices show writes a table or json", "use --format table or --format json");
  }
  return ExitCode::success;
}

ExitCode check_devices(const OptionValues& values, std::vector<std::string> names, CommandStreams streams) {
  if (names.empty()) names = device_names();
  ResultTable table({{"device"}, {"check"}, {"result"}, {"detail"}});
  std::size_t failed = 0;
  for (const auto& name : names) {
    const DeviceProfile device = load_device(name, Completeness::partial);
    for (const auto& check : device_checks()) {
      const CheckOutcome outcome = check.judge(device);
      const std::string needs =
          outcome.absent.empty() ? std::string() : fmt::format("without {}", fmt::join(outcome.absent, ", "));
      if (outcome.skipped()) {
        table.add(
            {device.name, std::string(check.name), "skipped", needs.empty() ? "nothing to judge" : needs});
      } else if (outcome.violations.empty()) {
        table.add({device.name, std::string(check.name), "passed",
                   std::string(check.rule) + (needs.empty() ? "" : "; " + needs)});
      }
      for (const auto& violation : outcome.violations)
        table.add({device.name, std::string(check.name), "failed", violation});
      failed += outcome.violations.size();
    }
  }
  write_output(values, table.format(format_option(values)), streams.out);
  if (failed == 0) return ExitCode::success;
  streams.err << fmt::format("error: {} violation{}\n", failed, failed == 1 ? "" : "s");
  return ExitCode::gate_failed;
}

OptionsDescription devices_options() {
  OptionsDescription options;
  add_output_options(options);
  add_compare_options(options);
  return options;
}

ExitCode run_devices(const OptionValues& values, CommandStreams streams) {
  static const std::vector<std::string> actions{"list", "show", "check", "compare", "import", "schema"};
  if (!values.count("action"))
    throw UsageError("devices: no action given", "one of list, show, check, compare, import, schema");
  const auto& action = values["action"].as<std::string>();
  const auto names =
      values.count("names") ? values["names"].as<std::vector<std::string>>() : std::vector<std::string>{};
  if (action == "show") return show_devices(values, names, streams);
  if (action == "check") return check_devices(values, names, streams);
  if (action == "compare") return compare_profiles(values, names, streams);
  if (action == "import") return import_profile(values, names, streams);
  if (action != "list" && action != "schema")
    throw UsageError(fmt::format("devices: unknown action '{}'", action), nearest_hint(action, actions));
  if (!names.empty()) throw UsageError(fmt::format("devices {}: too many arguments", action));
  if (action == "list") return list_devices(values, streams);
  write_output(values, device_schema(), streams.out);
  return ExitCode::success;
}

}  // namespace

Command devices_command() {
  return {.name = "devices",
          .summary = "device profiles: list, show with every source, cross-check, compare, import",
          .usage =
              "devices list | show NAME|FILE | check [NAME|FILE...] | compare A B | compare A --reference | "
              "import FILE | schema  [options]",
          .examples =
              "tilecast devices list\n"
              "tilecast devices show gtx-1080-ti\n"
              "tilecast devices show h100 --format json --out my-h100.json\n"
              "tilecast devices check\n"
              "tilecast devices compare h100 h200\n"
              "tilecast devices compare h200 --reference\n",
          .options = devices_options,
          .positional = {"action", "names..."},
          .run = run_devices};
}

}  // namespace tilecast
