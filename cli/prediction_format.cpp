// Rows of predictions as JSON, JSON lines, CSV and a table.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cli/prediction_rows.hpp"
#include "cli/table.hpp"
#include "model/support/csv.hpp"

namespace tilecast {
namespace {

using Text = fmt::memory_buffer;

template <class... Values>
void add(Text& out, fmt::format_string<Values...> format, Values&&... values) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Values>(values)...);
}

// A JSON string. --all writes hundreds of thousands of rows, so rows are written as text, not built as trees.
void add_string(Text& out, std::string_view text) {
  out.push_back('"');
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      add(out, "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
}

void add_member(Text& out, std::string_view key, std::string_view text) {
  add(out, ",\"{}\":", key);
  add_string(out, text);
}

void add_json(Text& out, const PredictionRow& row) {
  add(out, "{{\"model\":\"{}\",\"family\":\"{}\"", row.model, row.family);
  add_member(out, "suite", row.suite);
  add_member(out, "layer", row.layer);
  const auto& p = row.problem;
  add(out, ",\"problem\":{{\"N\":{},\"C\":{},\"H\":{},\"W\":{},\"M\":{},\"K\":{},\"stride\":{},\"pad\":{}",
      p.N, p.C, p.H, p.W, p.M, p.K, p.stride, p.pad);
  if (p.dilation != 1) add(out, ",\"dilation\":{}", p.dilation);
  add(out, "}},\"config\":{{");
  bool first = true;
  for (const auto& [name, value] : row.config.values()) {
    add(out, "{}\"{}\":{}", first ? "" : ",", name, value);
    first = false;
  }
  add(out, "}},\"feasible\":{}", row.feasible);
  if (!row.feasible) add_member(out, "reason", row.reason);
  add(out, ",\"chosen\":{}", row.chosen);
  if (row.paper) {
    add(out, ",\"shared_bytes\":{:.0f},\"fma_per_sm\":{:.0f},\"hides_latency\":{},\"reaches_v_s\":{}",
        row.paper->shared.value(), row.paper->fma_per_sm, row.paper->hides_latency, row.paper->reaches_v_s);
  }
  if (row.prediction) {
    const auto& t = *row.prediction;
    add(out,
        ",\"time_s\":{},\"time_lo_s\":{},\"time_hi_s\":{},\"limiter\":\"{}\",\"code\":\"{}\",\"bounds\":[",
        t.time.value(), t.low.value(), t.high.value(), t.limiter, name_of(t.code));
    for (std::size_t i = 0; i < t.bounds.size(); ++i) {
      const auto& b = t.bounds[i];
      add(out, "{}{{\"name\":\"{}\",\"equation\":\"{}\",\"time_s\":{}}}", i == 0 ? "" : ",", b.name,
          b.equation, b.time.value());
    }
    out.push_back(']');
  }
  out.push_back('}');
}

std::string json(std::span<const PredictionRow> rows) {
  Text out;
  out.push_back('[');
  for (std::size_t i = 0; i < rows.size(); ++i) {
    add(out, "{}\n  ", i == 0 ? "" : ",");
    add_json(out, rows[i]);
  }
  add(out, "{}", rows.empty() ? "]\n" : "\n]\n");
  return fmt::to_string(out);
}

std::string jsonl(std::span<const PredictionRow> rows) {
  Text out;
  for (const auto& row : rows) {
    add_json(out, row);
    out.push_back('\n');
  }
  return fmt::to_string(out);
}

std::string csv(std::span<const PredictionRow> rows) {
  Text out;
  const bool dilated = std::ranges::any_of(rows, [](const auto& row) { return row.problem.dilation != 1; });
  add(out,
      "model,family,suite,layer,N,C,H,W,M,K,stride,pad,{}config,feasible,reason,chosen,"
      "shared_bytes,fma_per_sm,hides_latency,time_s,time_lo_s,time_hi_s,limiter,code,bounds\n",
      dilated ? "dilation," : "");
  for (const auto& row : rows) {
    const auto& p = row.problem;
    add(out, "{},{},{},{},{},{},{},{},{},{},{},{},", row.model, row.family, csv_field(row.suite),
        csv_field(row.layer), p.N, p.C, p.H, p.W, p.M, p.K, p.stride, p.pad);
    if (dilated) add(out, "{},", p.dilation);
    add(out, "{},{},{},{},", describe_config(row.config), row.feasible, csv_field(row.reason), row.chosen);
    if (row.paper) {
      add(out, "{:.0f},{:.0f},{},", row.paper->shared.value(), row.paper->fma_per_sm,
          row.paper->hides_latency);
    } else {
      add(out, ",,,");
    }
    if (row.prediction) {
      const auto& t = *row.prediction;
      add(out, "{},{},{},{},{},", t.time.value(), t.low.value(), t.high.value(), t.limiter, name_of(t.code));
      for (std::size_t i = 0; i < t.bounds.size(); ++i)
        add(out, "{}{}={}", i == 0 ? "" : " ", t.bounds[i].name, t.bounds[i].time.value());
    } else {
      add(out, ",,,,,");
    }
    out.push_back('\n');
  }
  return fmt::to_string(out);
}

Cell text_or_absent(const std::string& text) {
  return text.empty() ? Cell{} : Cell{text};
}

std::string paper_table(std::span<const PredictionRow> rows) {
  ResultTable table({{"layer", "layer"},
                     {"problem", "problem"},
                     {"family", "family"},
                     {"config", "config"},
                     {"chosen", "chosen"},
                     {"shared_bytes", "data of a SM [B]", 12},
                     {"fma_per_sm", "FMAs of a SM", 12},
                     {"mode", "method"},
                     {"reason", "not feasible: why"}});
  for (const auto& row : rows) {
    const auto& values = row.paper;
    table.add({row.layer, describe_shape(row.problem), std::string(row.family),
               text_or_absent(describe_config(row.config)), values ? Cell{row.chosen} : Cell{},
               values ? Cell{values->shared.value()} : Cell{}, values ? Cell{values->fma_per_sm} : Cell{},
               values ? Cell{std::string(values->hides_latency ? "prefetch" : "volume")} : Cell{},
               text_or_absent(values ? row.reason : "skipped: " + row.reason)});
  }
  return table.text();
}

std::string time_table(std::span<const PredictionRow> rows) {
  ResultTable table({{"layer", "layer"},
                     {"problem", "problem"},
                     {"family", "family"},
                     {"config", "config"},
                     {"chosen", "chosen"},
                     {"time", "time [us]", 4},
                     {"low", "from [us]", 4},
                     {"high", "to [us]", 4},
                     {"limiter", "limiter"},
                     {"code", "code"},
                     {"reason", "not feasible: why"}});
  for (const auto& row : rows) {
    const bool whole_layer = row.config.values().empty();
    std::vector<Cell> cells{row.layer, describe_shape(row.problem), text_or_absent(std::string(row.family)),
                            text_or_absent(describe_config(row.config)), row.chosen};
    if (row.prediction) {
      const auto& t = *row.prediction;
      cells.insert(cells.end(), {1e6 * t.time.value(), 1e6 * t.low.value(), 1e6 * t.high.value(),
                                 std::string(t.limiter), std::string(name_of(t.code))});
    } else {
      cells.resize(cells.size() + 5);
    }
    cells.push_back(text_or_absent(whole_layer ? "skipped: " + row.reason : row.reason));
    table.add(std::move(cells));
  }
  return table.text();
}

}  // namespace

std::string format_rows(std::span<const PredictionRow> rows, Format format) {
  switch (format) {
    case Format::json:
      return json(rows);
    case Format::jsonl:
      return jsonl(rows);
    case Format::csv:
      return csv(rows);
    case Format::table:
      break;
  }
  const bool paper = !rows.empty() && rows.front().model == "paper";
  return paper ? paper_table(rows) : time_table(rows);
}

}  // namespace tilecast
