#include "reports/report.hpp"

#include <algorithm>
#include <set>

#include "reports/html.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

// A gnuplot SVG in miniature: XML head, namespaces, ids, references in every form.
constexpr const char* svg =
    "<?xml version=\"1.0\" encoding=\"utf-8\"  standalone=\"no\"?>\n<svg \n width=\"336\" height=\"268\"\n "
    "viewBox=\"0 0 336 268\"\n xmlns=\"http://www.w3.org/2000/svg\"\n "
    "xmlns:xlink=\"http://www.w3.org/1999/xlink\"\n>\n"
    "<title>Gnuplot</title>\n<desc>Produced by GNUPLOT</desc>\n<g id=\"gnuplot_canvas\"><defs><circle "
    "id='gpDot' "
    "r='0.5'/>\n<use xlink:href='#gpDot' id='gpTwo'/></defs><path fill='url(#gpTwo)'/></g></svg>\n";

// Where tags do not nest, or an attribute is not closed; empty when all is well. `void` elements have no end.
std::string badly_nested(const std::string& html) {
  const std::set<std::string> without_end = {"meta", "br", "input", "!DOCTYPE"};
  std::vector<std::string> open;
  for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at)) {
    std::size_t end = at + 1;
    for (char quote = 0; end < html.size() && (quote != 0 || html[end] != '>'); ++end) {
      if (quote != 0 ? html[end] == quote : html[end] == '"' || html[end] == '\'')
        quote = quote != 0 ? '\0' : html[end];
    }
    if (end == html.size()) return "unclosed tag at " + html.substr(at, 40);
    const bool closes = html[at + 1] == '/';
    const std::size_t from = at + (closes ? 2 : 1);
    const std::string name = html.substr(from, html.find_first_of(" \n/>", from) - from);
    if (closes) {
      if (open.empty() || open.back() != name)
        return "</" + name + "> closes " + (open.empty() ? "nothing" : open.back());
      open.pop_back();
    } else if (html[end - 1] != '/' && !without_end.contains(name)) {
      open.push_back(name);
    }
    at = end;
    if (!closes && (name == "script" || name == "style")) at = html.find("</" + name, at);
  }
  return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

std::vector<std::string> values_after(const std::string& html, const std::string& start) {
  std::vector<std::string> values;
  for (const char quote : {'"', '\''}) {
    const std::string key = start + quote;
    for (std::size_t at = html.find(key); at != std::string::npos; at = html.find(key, at + 1)) {
      const std::size_t from = at + key.size();
      values.push_back(html.substr(from, html.find(quote, from) - from));
    }
  }
  return values;
}

ReportInputs small_report() {
  ReportInputs in;
  in.title = "Predicted & measured <here>";
  in.notices = {"Nothing was measured."};
  in.headline = {{"12 %", "median error"}};
  const ReportTable table{.name = "scores",
                          .title = "Accuracy",
                          .caption = "c",
                          .columns = {{"n", "N", true}},
                          .rows = {{integer_cell(3)}}};
  in.scores = in.layers = in.parameters = table;
  in.apart = table;
  in.apart.name = "apart";
  in.layers.name = "layers";
  in.parameters.name = "device";
  in.worst = {table};
  in.worst[0].name = "worst-a";
  in.figures = {{{.name = "one", .title = "First", .caption = "What it shows."}, svg},
                {{.name = "two", .title = "Second", .caption = "What that shows."}, svg},
                {{.name = "three", .title = "Third", .caption = "Not drawn."}, ""}};
  in.skipped = {{"roofline", "no layers"}};
  in.provenance = {{"Program", "tilecast"}};
  in.results_csv = "layer,time_s\n\"a b\",1e-06\n";
  return in;
}

}  // namespace

TEST_CASE("badly_nested: finds what is wrong (the checker itself)", "[reports]") {
  CHECK(badly_nested("<a><b x='>'></b></a>").empty());
  CHECK_FALSE(badly_nested("<a><b></a></b>").empty());
  CHECK_FALSE(badly_nested("<a>").empty());
  CHECK_FALSE(badly_nested("<a x=\"></a>").empty());
}

TEST_CASE("inline_svg: an element of the page, with ids of its own", "[reports]") {
  const auto element = inline_svg(svg, "parity", "Title \"quoted\"");
  CHECK(element.rfind("<svg", 0) == 0);
  CHECK(badly_nested(element).empty());
  CHECK(element.find("aria-label=\"Title &quot;quoted&quot;\"") != std::string::npos);
  CHECK(element.find("http") == std::string::npos);
  CHECK(element.find("Gnuplot") == std::string::npos);
  CHECK(element.find("viewBox=\"0 0 336 268\"") != std::string::npos);
  CHECK(element.find("href='#parity-gpDot'") != std::string::npos);
  CHECK(element.find("id='parity-gpTwo'") != std::string::npos);
  CHECK(element.find("url(#parity-gpTwo)") != std::string::npos);
  CHECK_THROWS_AS(inline_svg("no drawing", "parity", "t"), Error);
}

TEST_CASE("csv_data_link: decodes to the same bytes", "[reports]") {
  CHECK(csv_data_link("a,b\n\"x y\",#%µ\n") ==
        "data:text/csv;charset=utf-8,a,b%0A%22x%20y%22,%23%25%C2%B5%0A");
}

TEST_CASE("report_html: well-formed, and nothing in it points outside", "[reports]") {
  const auto html = report_html(small_report());
  CHECK(badly_nested(html).empty());
  CHECK(html.find("http://") == std::string::npos);
  CHECK(html.find("https://") == std::string::npos);
  CHECK(html.find("url(//") == std::string::npos);
  CHECK(html.find("@import") == std::string::npos);
  CHECK(html.find("src=") == std::string::npos);
  const auto links = values_after(html, "href=");
  CHECK(links.size() > 10);
  for (const auto& link : links) {
    INFO(link.substr(0, 60));
    CHECK((link.starts_with('#') || link.starts_with("data:text/csv;") ||
           link.starts_with("data:application/gzip;")));
  }
}

TEST_CASE("report_html: no id twice, and every reference has its id", "[reports]") {
  const auto html = report_html(small_report());
  const auto ids = values_after(html, " id=");
  const std::set<std::string> distinct(ids.begin(), ids.end());
  CHECK(ids.size() == distinct.size());
  CHECK(distinct.contains("apart"));
  CHECK(distinct.contains("one-gpDot"));
  CHECK(distinct.contains("two-gpDot"));
  for (const auto& link : values_after(html, "href=")) {
    if (link.starts_with('#')) CHECK(distinct.contains(link.substr(1)));
  }
}

TEST_CASE("report_html: says what it lacks, carries its data, escapes what it is given", "[reports]") {
  const auto html = report_html(small_report());
  CHECK(html.find("<h1>Predicted &amp; measured &lt;here&gt;</h1>") != std::string::npos);
  CHECK(html.find("Nothing was measured.") != std::string::npos);
  CHECK(html.find("gnuplot is not installed here") != std::string::npos);  // figure three
  CHECK(html.find("<li>roofline: no layers</li>") != std::string::npos);
  CHECK(html.find("download=\"results.csv\" "
                  "href=\"data:text/csv;charset=utf-8,layer,time_s%0A%22a%20b%22,1e-06%0A\"") !=
        std::string::npos);
}

TEST_CASE("report_html: a long file is packed, and several times smaller than it is", "[reports]") {
  auto in = small_report();
  const auto before = report_html(in).size();
  for (int i = 0; i < 20000; ++i)
    in.results_csv += std::to_string(i) + ",1e-06\n";
  const auto html = report_html(in);
  CHECK(badly_nested(html).empty());
  const std::string link =
      "<a class=\"packed\" download=\"results.csv.gz\" href=\"data:application/gzip;base64,H4sI";
  CHECK(html.find(link) != std::string::npos);
  CHECK(html.size() - before < in.results_csv.size() / 2);
}
