#include "reports/report.hpp"

#include <fmt/format.h>

#include <span>

#include "model/support/embedded.hpp"
#include "model/support/errors.hpp"
#include "reports/gzip.hpp"
#include "reports/html.hpp"

namespace tilecast {

std::span<const EmbeddedFile> report_files();  // report.css, report.js

namespace {

std::string_view embedded(std::string_view path) {
  for (const auto& file : report_files()) {
    if (file.path == path) return file.text;
  }
  throw Error(ExitCode::failure, fmt::format("{} is not compiled in", path));
}

std::string section(std::string_view id, std::string_view heading, std::string_view body) {
  return fmt::format(
      "<section id=\"{0}\" aria-labelledby=\"{0}-heading\">\n<h2 "
      "id=\"{0}-heading\">{1}</h2>\n{2}</section>\n",
      id, html_escaped(heading), body);
}

std::string figure_html(const DrawnFigure& drawn, std::size_t number) {
  const Figure& f = drawn.figure;
  return fmt::format(
      "<figure id=\"figure-{}\" class=\"{}\">\n{}\n<figcaption><b>Figure {}. {}.</b> "
      "{}</figcaption>\n</figure>\n",
      f.name, f.wide ? "wide" : "column",
      drawn.svg.empty() ? "<p class=\"missing\">Not drawn: gnuplot is not installed here.</p>"
                        : inline_svg(drawn.svg, f.name, f.title + ". " + f.caption),
      number, html_escaped(f.title), html_escaped(f.caption));
}

std::string download(std::string_view file, std::string_view what, std::string_view csv) {
  constexpr std::size_t worth_packing = 32768;
  const auto kilobytes = [](std::size_t size) { return static_cast<double>(size) / 1e3 + 0.5; };
  if (csv.size() < worth_packing)
    return fmt::format("<p class=\"download\"><a download=\"{}\" href=\"{}\">{}</a> ({:.0f} kB)</p>\n", file,
                       csv_data_link(csv), what, kilobytes(csv.size()));
  // Without scripts the link saves the packed file; report.js unpacks it first.
  const auto packed = gzip(csv);
  return fmt::format(
      "<p class=\"download\"><a class=\"packed\" download=\"{}.gz\" href=\"{}\">{}</a> ({:.0f} kB, here "
      "gzip, {:.0f} kB)</p>\n",
      file, gzip_data_link(packed), what, kilobytes(csv.size()), kilobytes(packed.size()));
}

struct Section {
  std::string id, heading, text;
};

std::string with_download(const ReportTable& table, const std::string& file, std::string_view what) {
  return table_html(table) + download(file, what, table_csv(table));
}

std::string figures_html(const ReportInputs& in) {
  std::string text = "<div class=\"figures\">\n";
  std::size_t number = 0;
  for (const auto& f : in.figures)
    text += figure_html(f, ++number);
  text += "</div>\n";
  if (in.skipped.empty()) return text;
  text += "<p>Not drawn:</p>\n<ul class=\"skipped\">\n";
  for (const auto& [name, reason] : in.skipped)
    text += fmt::format("<li>{}: {}</li>\n", html_escaped(name), html_escaped(reason));
  return text + "</ul>\n";
}

std::string worst_html(const ReportInputs& in) {
  std::string text;
  for (const auto& table : in.worst)
    text += fmt::format("<h3>{}</h3>\n", html_escaped(table.title)) +
            with_download(table, table.name + ".csv", "This table as CSV");
  if (!in.mechanisms.rows.empty())
    text += fmt::format("<h3>{}</h3>\n", html_escaped(in.mechanisms.title)) + table_html(in.mechanisms);
  return text;
}

std::string provenance_html(const ReportInputs& in) {
  std::string text = "<dl>\n";
  for (const auto& [what, value] : in.provenance)
    text += fmt::format("<dt>{}</dt><dd>{}</dd>\n", html_escaped(what), html_escaped(value));
  return text + "</dl>\n" +
         download("results.csv", "Every config, predicted and measured, as CSV", in.results_csv);
}

// Those of which there is something to show.
std::vector<Section> sections_of(const ReportInputs& in) {
  std::vector<Section> sections;
  const auto add_scores = [&](const char* id, const std::string& heading, const ReportTable& table,
                              const char* file) {
    if (!table.rows.empty())
      sections.push_back({id, heading, with_download(table, file, "These scores as CSV")});
  };
  add_scores("blind", in.blind.title, in.blind, "blind.csv");
  add_scores("apart", in.apart.title, in.apart, "apart.csv");
  add_scores("accuracy", "Accuracy", in.scores, "scores.csv");
  add_scores("models", in.models.title, in.models, "models.csv");
  sections.push_back({"figures", "Figures", figures_html(in)});
  sections.push_back({"layers", "Layers", with_download(in.layers, "layers.csv", "This table as CSV")});
  if (!in.worst.empty()) sections.push_back({"worst", "Worst predictions", worst_html(in)});
  sections.push_back({"device", "Device", table_html(in.parameters)});
  sections.push_back({"provenance", "Provenance and data", provenance_html(in)});
  return sections;
}

std::string header_html(const ReportInputs& in) {
  std::string text = fmt::format("<header>\n<h1>{}</h1>\n<p class=\"subtitle\">{}</p>\n</header>\n",
                                 html_escaped(in.title), html_escaped(in.subtitle));
  for (const auto& notice : in.notices)
    text += fmt::format("<p class=\"notice\" role=\"note\">{}</p>\n", html_escaped(notice));
  return text;
}

std::string contents_html(const std::vector<Section>& sections) {
  std::string text = "<nav aria-label=\"Sections\"><ul>\n";
  for (const auto& s : sections)
    text += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", s.id, html_escaped(s.heading));
  return text + "</ul></nav>\n";
}

std::string headline_html(const ReportInputs& in) {
  if (in.headline.empty()) return "";
  std::string text = "<ul class=\"cards\">\n";
  for (const auto& [value, what] : in.headline)
    text += fmt::format("<li><b>{}</b> {}</li>\n", html_escaped(value), html_escaped(what));
  return text + "</ul>\n";
}

}  // namespace

std::string report_html(const ReportInputs& in) {
  const auto sections = sections_of(in);
  std::string body = header_html(in) + contents_html(sections) + "<main>\n" + headline_html(in);
  for (const auto& s : sections)
    body += section(s.id, s.heading, s.text);
  body += "</main>\n";
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n{}"
      "<script>\n{}</script>\n</body>\n</html>\n",
      html_escaped(in.title), embedded("report.css"), body, embedded("report.js"));
}

}  // namespace tilecast
