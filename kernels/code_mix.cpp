#include "kernels/code_mix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "model/support/csv.hpp"
#include "model/support/errors.hpp"

namespace tilecast {
namespace {

struct Column {
  std::string_view name;
  double CodeCounts::*value;
};

constexpr std::array<Column, 21> columns{{
    {"issued", &CodeCounts::issued},
    {"ffma", &CodeCounts::ffma},
    {"integer_mad", &CodeCounts::integer_mad},
    {"integer", &CodeCounts::integer},
    {"uniform", &CodeCounts::uniform},
    {"memory", &CodeCounts::memory},
    {"copies", &CodeCounts::copies},
    {"pipe_cycles", &CodeCounts::pipe_cycles},
    {"queue_cycles", &CodeCounts::queue_cycles},
    {"return_cycles", &CodeCounts::return_cycles},
    {"port_cycles", &CodeCounts::port_cycles},
    {"chain_cycles", &CodeCounts::chain_cycles},
    {"shared_waits", &CodeCounts::shared_waits},
    {"long_waits", &CodeCounts::long_waits},
    {"barriers", &CodeCounts::barriers},
    {"load_waits", &CodeCounts::load_waits},
    {"load_distance", &CodeCounts::load_distance},
    {"local_loads", &CodeCounts::local_loads},
    {"local_stores", &CodeCounts::local_stores},
    {"queue_waits", &CodeCounts::queue_waits},
    {"copy_distance", &CodeCounts::copy_distance},
}};
// The last ones, which older files do not have.
constexpr std::size_t optional_columns = 4;

constexpr std::array<std::string_view, mix_part_count> part_names{"core", "round", "last", "fetch", "step",
                                                                  "copy", "start", "sum",  "end"};

// "4096 1:5300:5300:0 2:6100:5900:40 300@5420 700@5800": a thread's multiply-adds, then blocks, cycles of the
// first and of later ones, and between the first's ends; then latencies, cycles of a block alone with them
// (older files have none). Of the row of the launch's start, empty in others.
constexpr std::string_view paces_column = "paces";

constexpr std::string_view compiler_comment = "compiler: ";

std::size_t part_of(const CsvReader& rows, std::size_t column) {
  const auto found = std::ranges::find(part_names, rows.fields()[column]);
  if (found != part_names.end()) return static_cast<std::size_t>(found - part_names.begin());
  throw InputError(
      fmt::format("{}:{}: column 'part': '{}', expected core, round, last, fetch, step, copy, "
                  "start, sum or end",
                  rows.name(), rows.line(), rows.fields()[column]));
}

// Multiply-adds of a thread, the launch's mean; without paces those of the warps that were counted.
double thread_fmas_of(const CodeMix& mix) {
  return mix.pace.thread_fmas > 0 ? mix.pace.thread_fmas : mix[MixPart::core].times;
}

// Times that one launch's threads make as many multiply-adds as the other's.
double apart(const CodeMix& mix, double thread_fmas) {
  const double one = std::max(1.0, thread_fmas_of(mix)), other = std::max(1.0, thread_fmas);
  return std::max(one / other, other / one);
}

CorePaces paces_of(const CsvReader& rows, std::size_t column) {
  CorePaces paces;
  const std::string_view text = rows.fields()[column];
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto number = [&](double& value, char before) {
    if (before != 0 && (at == end || *at++ != before)) return false;
    const auto read = std::from_chars(at, end, value);
    at = read.ptr;
    return read.ec == std::errc{} && value >= 0;
  };
  bool good = number(paces.thread_fmas, 0);
  while (good && at != end) {
    double first = 0;
    good = number(first, ' ');
    if (good && at != end && *at == '@') {
      CoreWait wait{.latency = first};
      good = number(wait.cycles, '@') && (paces.waits.empty() || first > paces.waits.back().latency);
      paces.waits.push_back(wait);
      continue;
    }
    CorePace pace{.blocks = first};
    good = good && number(pace.first, ':') && number(pace.later, ':') && number(pace.ends_apart, ':') &&
           (paces.waves.empty() || pace.blocks > paces.waves.back().blocks);
    paces.waves.push_back(pace);
  }
  if (good && !paces.waves.empty()) return paces;
  throw InputError(
      fmt::format("{}:{}: column '{}': '{}', expected multiply-adds, rising numbers of blocks, each with "
                  "cycles, and rising "
                  "latencies, each with cycles: 4096 1:5300:5300:0 2:6100:5900:40 300@5420 700@5800",
                  rows.name(), rows.line(), paces_column, text));
}

double count_of(const CsvReader& rows, std::size_t column) {
  const double value = csv_number(rows, column);
  if (value >= 0) return value;
  throw InputError(fmt::format("{}:{}: column '{}': '{}', expected a count of at least 0", rows.name(),
                               rows.line(), rows.header()[column], value));
}

}  // namespace

CodeCounts counts_of(const CodeMix& mix, std::initializer_list<std::pair<MixPart, double>> parts) {
  CodeCounts sum;
  for (auto [part, times] : parts) {
    if (mix[part].times <= 0 && part == MixPart::round)
      part = MixPart::last;
    else if (mix[part].times <= 0 && part == MixPart::last)
      part = MixPart::round;
    sum.add(mix[part].unit, times);
  }
  return sum;
}

CodeCounts core_of(const CodeMix& mix, double ffma) {
  return CodeCounts{}.add(mix[MixPart::core].unit, ffma);
}

void set_core_paces(KernelDescription& kernel, const LaunchMixes& mixes) {
  const double fmas = kernel.fma_executed / static_cast<double>(kernel.launch.blocks * kernel.launch.threads);
  const auto away = [&](const CodeMix& mix) {
    if (mix.pace.waves.empty()) return std::numeric_limits<double>::infinity();
    const double ratio = std::max(1.0, fmas) / std::max(1.0, mix.pace.thread_fmas);
    return std::max(ratio, 1 / ratio);
  };
  const auto& mix = *std::ranges::min_element(mixes.all(), {}, away);
  // A choice: the further away, the less carries what a block waits for once. Counts do (A14).
  constexpr double too_far = 2;
  if (away(mix) > too_far) return;
  double all = 0;
  for (const auto& part : mix.parts)
    all += part.times * part.unit.issued;
  const double once =
      mix[MixPart::start].unit.issued + mix[MixPart::sum].unit.issued + mix[MixPart::end].unit.issued;
  const double in_loops = all > 0 ? 1 - once / all : 1;
  kernel.core_paces = mix.pace.waves;
  kernel.core_waits = mix.pace.waits;
  kernel.core_pace_scale = 1 + in_loops * (fmas / mix.pace.thread_fmas - 1);
}

double code_instructions(const CodeMix& mix) {
  const auto code = [&](MixPart part) { return mix[part].code; };
  return code(MixPart::start) + code(MixPart::copy) + code(MixPart::core) + code(MixPart::step) +
         std::max({code(MixPart::round), code(MixPart::last), code(MixPart::fetch)}) + code(MixPart::sum) +
         code(MixPart::end);
}

double loop_instructions(const CodeMix& mix) {
  return code_instructions(mix) - mix[MixPart::start].code - mix[MixPart::sum].code - mix[MixPart::end].code;
}

std::optional<Phase> before_stores(const Phase& storing, const CodeMix& mix) {
  if (mix[MixPart::sum].times <= 0) return std::nullopt;
  Phase phase;
  phase.name = "before the first store";
  phase.role = storing.role;
  phase.active_warps = storing.active_warps;
  phase.code = {counts_of(mix, {{MixPart::sum, 1}}), {}};
  return phase;
}

std::string_view mix_part_name(MixPart part) {
  return part_names[static_cast<std::size_t>(part)];
}

void LaunchMixes::add(const CodeMix& mix) {
  mixes_.insert(std::ranges::upper_bound(mixes_, thread_fmas_of(mix), {}, thread_fmas_of), mix);
}

const CodeMix& LaunchMixes::nearest(double thread_fmas) const {
  return *std::ranges::min_element(mixes_, {},
                                   [&](const CodeMix& m) { return tilecast::apart(m, thread_fmas); });
}

double LaunchMixes::apart(double thread_fmas) const {
  constexpr double alike = 1.5;  // times as many
  const double times = tilecast::apart(nearest(thread_fmas), thread_fmas);
  return times < alike ? 1 : times;
}

bool LaunchMixes::covers(double thread_fmas) const {
  constexpr double same = 1e-3;  // a choice; files have six digits
  return std::ranges::any_of(mixes_, [&](const CodeMix& m) {
    return std::abs(m.pace.thread_fmas - thread_fmas) <= same * thread_fmas;
  });
}

const LaunchMixes* CodeMixes::find(const std::string& code_hash) const {
  const auto found = mixes_.find(code_hash);
  return found == mixes_.end() ? nullptr : &found->second;
}

CodeMixes parse_code_mixes(std::string_view csv, std::string_view name) {
  CsvReader rows(csv, name);
  const auto column = [&](std::string_view header) {
    return rows.column(header,
                       "code_hash,part,times,code and the counts that 'tilecast compile --mixes' writes");
  };
  const auto hash = column("code_hash"), part = column("part"), times = column("times"),
             code = column("code");
  std::array<std::size_t, columns.size()> at{};
  std::size_t there = 0;
  for (; there < columns.size(); ++there) {
    if (there + optional_columns >= columns.size() && !std::ranges::count(rows.header(), columns[there].name))
      break;
    at[there] = column(columns[there].name);
  }
  const bool has_paces = std::ranges::count(rows.header(), paces_column) > 0;
  const std::size_t paces = has_paces ? column(paces_column) : 0;
  CodeMixes mixes;
  CodeMix mix;
  std::string of_code;
  std::optional<std::size_t> before;  // the part of the row before
  while (rows.next()) {
    const auto& fields = rows.fields();
    const std::size_t which = part_of(rows, part);
    const bool same_code = before && fields[hash] == of_code;
    if (same_code && which == *before)
      throw InputError(fmt::format("{}:{}: '{}' of '{}' appears twice, expected one row a part", name,
                                   rows.line(), fields[part], of_code));
    // The next launch begins anew with the parts.
    if (before && (!same_code || which < *before)) mixes.add(of_code, std::exchange(mix, {}));
    if (!same_code) {
      of_code = fields[hash];
      if (mixes.find(of_code))
        throw InputError(fmt::format("{}:{}: '{}' appears in two places, expected its parts together", name,
                                     rows.line(), of_code));
    }
    before = which;
    auto& target = mix.parts[which];
    target.times = count_of(rows, times);
    target.code = count_of(rows, code);
    for (std::size_t c = 0; c < there; ++c)
      target.unit.*columns[c].value = count_of(rows, at[c]);
    if (has_paces && !fields[paces].empty()) mix.pace = paces_of(rows, paces);
  }
  if (before) mixes.add(of_code, mix);
  for (const std::string_view comment : rows.comments()) {
    if (comment.starts_with(compiler_comment)) mixes.compiler = comment.substr(compiler_comment.size());
  }
  return mixes;
}

std::string format_code_mixes(const CodeMixes& mixes) {
  const std::map<std::string, LaunchMixes> sorted(mixes.all().begin(), mixes.all().end());
  std::string text = mixes.compiler.empty() ? "" : fmt::format("# {}{}\n", compiler_comment, mixes.compiler);
  text += "code_hash,part,times,code";
  for (const auto& column : columns)
    fmt::format_to(std::back_inserter(text), ",{}", column.name);
  fmt::format_to(std::back_inserter(text), ",{}\n", paces_column);
  const auto write = [&](const std::string& hash, const CodeMix& mix) {
    for (std::size_t i = 0; i < mix.parts.size(); ++i) {
      if (mix.parts[i].times <= 0) continue;
      fmt::format_to(std::back_inserter(text), "{},{},{:.6g},{}", csv_field(hash), part_names[i],
                     mix.parts[i].times, mix.parts[i].code);
      for (const auto& column : columns)
        fmt::format_to(std::back_inserter(text), ",{:.5g}", mix.parts[i].unit.*column.value);
      text += ',';
      if (static_cast<MixPart>(i) == MixPart::start && !mix.pace.waves.empty()) {
        fmt::format_to(std::back_inserter(text), "{:.6g}", mix.pace.thread_fmas);
        for (const auto& wave : mix.pace.waves)
          fmt::format_to(std::back_inserter(text), " {}:{:.0f}:{:.0f}:{:.0f}", wave.blocks, wave.first,
                         wave.later, wave.ends_apart);
        for (const auto& wait : mix.pace.waits)
          fmt::format_to(std::back_inserter(text), " {:.0f}@{:.0f}", wait.latency, wait.cycles);
      }
      text += '\n';
    }
  };
  for (const auto& [hash, launches] : sorted) {
    for (const auto& mix : launches.all())
      write(hash, mix);
  }
  return text;
}

}  // namespace tilecast
