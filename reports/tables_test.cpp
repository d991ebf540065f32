#include "reports/tables.hpp"

#include "reports/synthetic_results.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

ReportTable small() {
  return {.name = "t",
          .title = "Small & simple",
          .caption = "c",
          .columns = {{"name", "Name", false}, {"time_s", "Time", true}},
          .rows = {{text_cell("a_b, \"c\""), time_cell(Seconds{1.5e-6})},
                   {text_cell("<d>"), time_cell(std::nullopt)}}};
}

}  // namespace

TEST_CASE("without_empty_columns: a column goes when no row has a value in it", "[reports]") {
  auto table = small();
  table.columns.push_back({"spare", "Spare", true});
  for (auto& row : table.rows)
    row.push_back({});
  const auto kept = without_empty_columns(table);
  REQUIRE(kept.columns.size() == 2);
  CHECK(table_csv(kept) == table_csv(small()));
}

TEST_CASE("table_csv: base units, quoted where needed, absent is empty", "[reports]") {
  CHECK(table_csv(small()) == "name,time_s\n\"a_b, \"\"c\"\"\",1.5e-06\n<d>,\n");
}

TEST_CASE("table_latex: booktabs rules, escaped text, a dash for what is absent", "[reports]") {
  CHECK(table_latex(small()) ==
        "% t: Small & simple\n% needs \\usepackage{booktabs}\n\\begin{tabular}{lr}\n\\toprule\nName & Time "
        "\\\\\n"
        "\\midrule\na\\_b, \"c\" & 1.50 $\\mu$s \\\\\n<d> & -- \\\\\n\\bottomrule\n\\end{tabular}\n");
}

TEST_CASE("table_html: escaped, numbers carry their raw value", "[reports]") {
  const auto html = table_html(small());
  CHECK(html.find("<td>a_b, &quot;c&quot;</td><td class=\"n\" data-v=\"1.5e-06\">1.50 µs</td>") !=
        std::string::npos);
  CHECK(html.find("<td>&lt;d&gt;</td><td class=\"n\" data-v=\"\"></td>") != std::string::npos);
  CHECK(html.find("aria-label=\"Small &amp; simple\"") != std::string::npos);
}

TEST_CASE("tables: a column may be for people or for programs alone", "[reports]") {
  auto table = small();
  table.columns.push_back({"words", "In words", false, ReportColumn::Shown::page});
  table.columns.push_back({"parts", "Parts", false, ReportColumn::Shown::csv});
  for (auto& row : table.rows) {
    row.push_back(text_cell("a line\nand another"));
    row.push_back(text_cell("1 2"));
  }
  CHECK(table_csv(table) == "name,time_s,parts\n\"a_b, \"\"c\"\"\",1.5e-06,1 2\n<d>,,1 2\n");
  const auto html = table_html(table), latex = table_latex(table);
  CHECK(html.find("In words") != std::string::npos);
  CHECK(html.find("Parts") == std::string::npos);
  CHECK(html.find("1 2") == std::string::npos);
  CHECK(latex.find("In words") != std::string::npos);
  CHECK(latex.find("Parts") == std::string::npos);
}

TEST_CASE("point_table: what is known of a point, in lines on the page and in columns in the CSV",
          "[reports]") {
  PredictedPoint p{
      .family = "f", .suite = "s", .layer = "l", .shape = {.C = 1, .H = 8, .W = 8, .M = 2, .K = 3}};
  p.config = Config{{"P", 4}};
  p.predicted = Seconds{3e-6};
  p.measured = Seconds{2e-6};
  p.limiter = "issue";
  p.bounds = {{"fma", "A1", Seconds{1e-6}}, {"issue", "A2", Seconds{2e-6}}};
  const std::vector<PredictedPoint> points = {p};
  const std::vector<PointExplanation> known = {
      {"issue x 0.5", "sim -3.0 %", "P = 4 (12 rows)", "", "few-blocks"}};
  const auto table = point_table("worst-f", "The worst", points, known);
  CHECK(table_csv(table) ==
        "layer,config,predicted_s,measured_s,signed_error,limiter,bounds,carriers,others,like,mechanisms\n"
        "l,P=4,3e-06,2e-06,0.5,issue,fma=1e-06 issue=2e-06,issue x 0.5,sim -3.0 %,P = 4 (12 "
        "rows),few-blocks\n");
  CHECK(table_html(table).find(
            "Bounds: issue 2.00 µs, fma 1.00 µs\nCould carry it: issue x 0.5\nOther models: sim "
            "-3.0 %\nOff like it: P = 4 (12 rows)\nMechanism: few-blocks") != std::string::npos);
  // Without explanations: bounds alone.
  CHECK(table_csv(point_table("worst-f", "The worst", points)).find("carriers") == std::string::npos);
}

TEST_CASE("mechanism_table: how far off where the condition holds, and elsewhere", "[reports]") {
  const std::vector<MechanismLine> lines = {
      {"few-blocks", "f", "blocks < sms", 12, 0.25, -0.01, "not modelled", "what happens", "where shown"}};
  CHECK(table_csv(mechanism_table(lines)) ==
        "mechanism,family,condition,configs,median_error,elsewhere,status,what_happens,evidence\n"
        "few-blocks,f,blocks < sms,12,0.25,-0.01,not modelled,what happens,where shown\n");
}

TEST_CASE("parameter_table: what the profile has, with its source; what it has not is no row", "[reports]") {
  const auto table = parameter_table(synthetic::device());
  const auto csv = table_csv(table);
  CHECK(csv.find("dram_latency_cycles,640,,,assumed,invented\n") != std::string::npos);
  CHECK(csv.find("fma_latency_cycles") == std::string::npos);
  bool found = false;
  for (const auto& row : table.rows) {
    if (row[0].raw == "shared_per_sm_bytes") found = row[1].shown == "228 KiB";
  }
  CHECK(found);
}

TEST_CASE("results_csv: a line for every config and baseline under one header", "[reports]") {
  PredictedPoint p{
      .family = "f", .suite = "s", .layer = "l", .shape = {.C = 1, .H = 8, .W = 8, .M = 2, .K = 3}};
  p.config = Config{{"P", 4}, {"Q", 1}};
  p.predicted = Seconds{2e-6};
  p.low = Seconds{1.23456789e-6};
  p.high = Seconds{3e-6};
  p.limiter = "fma";
  p.paper_choice = true;
  const std::vector<PredictedPoint> points = {p};
  const std::vector<BaselinePoint> baselines = {{"cudnn_graph", "s", "l", "plan 0", Seconds{4e-6}}};
  const auto csv = results_csv(points, baselines);
  CHECK(
      csv ==
      "family,suite,layer,N,C,H,W,M,K,stride,pad,config,predicted_s,predicted_low_s,predicted_high_s,limiter,"
      "measured_s,measured_p10_s,measured_p90_s,paper_choice\n"
      "f,s,l,1,1,8,8,2,3,1,0,P=4 Q=1,2e-06,1.235e-06,3e-06,fma,,,,1\n"
      "cudnn_graph,s,l,,,,,,,,,plan 0,,,,,4e-06,,,\n");
  auto dilated = points;
  dilated[0].shape.dilation = 2;
  const auto wider = results_csv(dilated, baselines);
  CHECK(wider.find(",stride,pad,dilation,config,") != std::string::npos);
  CHECK(wider.find("f,s,l,1,1,8,8,2,3,1,0,2,P=4 Q=1,2e-06") != std::string::npos);
  CHECK(wider.find("cudnn_graph,s,l,,,,,,,,,,plan 0,,,,,4e-06") != std::string::npos);
}
