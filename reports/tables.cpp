#include "reports/tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/support/csv.hpp"
#include "reports/format.hpp"
#include "reports/html.hpp"

namespace tilecast {
namespace {

constexpr std::size_t long_text = 30;  // a text cell with more may break into lines

std::string latex_escaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (text.substr(i, 2) == "µ") {  // two bytes in UTF-8
      out += "$\\mu$";
      ++i;
      continue;
    }
    switch (c) {
      case '\\':
        out += "\\textbackslash{}";
        break;
      case '~':
        out += "\\textasciitilde{}";
        break;
      case '^':
        out += "\\textasciicircum{}";
        break;
      case '_':
      case '{':
      case '}':
      case '#':
      case '$':
      case '%':
      case '&':
        out += '\\';
        [[fallthrough]];
      default:
        out += c;
    }
  }
  return out;
}

bool in_csv(const ReportColumn& column) {
  return column.shown != ReportColumn::Shown::page;
}
bool on_page(const ReportColumn& column) {
  return column.shown != ReportColumn::Shown::csv;
}

}  // namespace

ReportTable without_empty_columns(ReportTable table) {
  for (std::size_t c = table.columns.size(); c-- > 0;) {
    if (std::ranges::any_of(table.rows, [&](const auto& row) { return !row[c].shown.empty(); })) continue;
    const auto at = static_cast<std::ptrdiff_t>(c);
    table.columns.erase(table.columns.begin() + at);
    for (auto& row : table.rows)
      row.erase(row.begin() + at);
  }
  return table;
}

std::string table_csv(const ReportTable& table) {
  std::string head, body;
  const auto add = [](std::string& line, std::string_view field) {
    line += (line.empty() ? "" : ",") + csv_field(field);
  };
  for (const auto& c : table.columns) {
    if (in_csv(c)) add(head, c.key);
  }
  for (const auto& row : table.rows) {
    std::string line;
    bool first = true;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!in_csv(table.columns[i])) continue;
      line += (first ? "" : ",") + csv_field(row[i].raw);
      first = false;
    }
    body += line + '\n';
  }
  return head + '\n' + body;
}

std::string table_latex(const ReportTable& table) {
  std::string columns, head;
  for (const auto& c : table.columns) {
    if (!on_page(c)) continue;
    columns += c.numeric ? 'r' : 'l';
    head += (head.empty() ? "" : " & ") + latex_escaped(c.heading);
  }
  std::string out = fmt::format(
      "% {}: {}\n% needs \\usepackage{{booktabs}}\n\\begin{{tabular}}{{{}}}\n\\toprule\n{} \\\\\n\\midrule\n",
      table.name, table.title, columns, head);
  for (const auto& row : table.rows) {
    bool first = true;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!on_page(table.columns[i])) continue;
      out += (first ? "" : " & ") + (row[i].shown.empty() ? "--" : latex_escaped(row[i].shown));
      first = false;
    }
    out += " \\\\\n";
  }
  return out + "\\bottomrule\n\\end{tabular}\n";
}

std::string table_html(const ReportTable& table) {
  std::string out = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n<table id=\"table-{}\" "
      "class=\"data\">\n<caption>{}</caption>\n<thead><tr>",
      html_escaped(table.title), table.name, html_escaped(table.caption));
  for (const auto& c : table.columns) {
    if (on_page(c))
      out += fmt::format("<th scope=\"col\"{}>{}</th>", c.numeric ? " class=\"n\"" : "",
                         html_escaped(c.heading));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!on_page(table.columns[i])) continue;
      // The raw value travels along so that sorting compares numbers, not "12.3 µs" with "1.1 ms".
      if (table.columns[i].numeric)
        out += fmt::format("<td class=\"n\" data-v=\"{}\">{}</td>", html_escaped(row[i].raw),
                           html_escaped(row[i].shown));
      else
        out += fmt::format("<td{}>{}</td>", row[i].shown.size() > long_text ? " class=\"w\"" : "",
                           html_escaped(row[i].shown));
    }
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table>\n</div>\n";
}

ReportCell text_cell(std::string text) {
  return {text, text};
}
ReportCell integer_cell(std::int64_t value) {
  return text_cell(std::to_string(value));
}
ReportCell time_cell(std::optional<Seconds> time) {
  if (!time) return {};
  return {format_time(*time), fmt::format("{:.6g}", time->value())};
}
ReportCell ratio_cell(std::optional<double> ratio) {
  if (!ratio) return {};
  return {format_percent(*ratio), fmt::format("{:.6g}", *ratio)};
}
ReportCell signed_ratio_cell(std::optional<double> ratio) {
  if (!ratio) return {};
  return {format_signed_percent(*ratio), fmt::format("{:.6g}", *ratio)};
}
ReportCell number_cell(std::optional<double> value, int digits) {
  if (!value) return {};
  return {format_significant(*value, digits), fmt::format("{:.6g}", *value)};
}

}  // namespace tilecast
