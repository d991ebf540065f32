#include "reports/gnuplot.hpp"

#include <cstdlib>
#include <filesystem>

#include "model/support/csv.hpp"
#include "model/support/errors.hpp"
#include "reports/figures.hpp"
#include "reports/html.hpp"
#include "reports/synthetic_results.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
namespace fs = std::filesystem;

namespace {

// Catch2 2 cannot skip: CTest runs each case alone and takes this exit code for "skipped".
void need_gnuplot() {
  if (!find_gnuplot()) std::exit(77);
}

struct Folder {
  fs::path path;
  explicit Folder(const char* name)
      : path(fs::temp_directory_path() / (std::string("tilecast_test_") + name)) {
    fs::remove_all(path);
  }
  ~Folder() { fs::remove_all(path); }
};

// Sets a variable of the environment for the time of a test.
struct Environment {
  std::string name, before;
  Environment(std::string n, const char* value) : name(std::move(n)), before(std::getenv(name.c_str())) {
    ::setenv(name.c_str(), value, 1);
  }
  ~Environment() { ::setenv(name.c_str(), before.c_str(), 1); }
};

std::vector<Figure> all_figures() {
  const auto device = synthetic::device();
  const auto points = synthetic::points();
  const auto baselines = synthetic::baselines();
  const auto models = synthetic::models();
  const auto without = synthetic::ablation();
  FigureInputs inputs = figure_inputs(device, points, baselines);
  inputs.models = &models;
  inputs.ablation = without;
  std::vector<Figure> figures;
  for (const auto& entry : figure_list())
    figures.push_back(std::get<Figure>(entry.draw(inputs)));
  return figures;
}

}  // namespace

TEST_CASE("parse_figure_formats: a list, each once; a typing error names the nearest", "[reports]") {
  CHECK(parse_figure_formats("svg,pdf,svg") == std::vector{FigureFormat::svg, FigureFormat::pdf});
  CHECK_THROWS_AS(parse_figure_formats("svg,pfd"), UsageError);
  CHECK_THROWS_AS(parse_figure_formats(""), UsageError);
}

TEST_CASE("draw_figure: without gnuplot the script and data are there, and the error says what to install",
          "[reports]") {
  const Folder folder("no_gnuplot");
  const Environment path("PATH", "/nonexistent");
  const std::vector formats = {FigureFormat::svg};
  const Figure figure{.name = "f", .gp = "plot x\n", .dat = "1 2\n"};
  try {
    draw_figure(figure, folder.path, formats);
    FAIL("no error");
  } catch (const UnavailableError& e) {
    CHECK(e.hint().find("apt install gnuplot") != std::string::npos);
  }
  CHECK(read_file((folder.path / "f.gp").string()) == "plot x\n");
  CHECK(read_file((folder.path / "f.dat").string()) == "1 2\n");
}

TEST_CASE("draw_figure: gnuplot's complaint reaches the user", "[reports]") {
  need_gnuplot();
  const Folder folder("broken");
  const std::vector formats = {FigureFormat::svg};
  const Figure figure{.name = "f", .gp = "plot nonsense(\n", .dat = ""};
  try {
    draw_figure(figure, folder.path, formats);
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(e.code() == ExitCode::failure);
    CHECK(std::string(e.what()).find("f.gp") != std::string::npos);
    CHECK(std::string(e.what()).find("line 1") != std::string::npos);
  }
}

TEST_CASE("draw_figure: every figure in every format, without a warning from LaTeX's or gnuplot's escapes",
          "[reports]") {
  need_gnuplot();
  const Folder folder("all_formats");
  const std::vector formats = {FigureFormat::svg, FigureFormat::pdf, FigureFormat::tex};
  for (const auto& figure : all_figures()) {
    INFO(figure.name);
    draw_figure(figure, folder.path, formats);
    const auto text = [&](const std::string& ending) {
      return read_file((folder.path / (figure.name + ending)).string());
    };
    const std::string svg = text(".svg"), tex = text("-latex.tex");
    CHECK(svg.find("</svg>") != std::string::npos);
    CHECK(svg.find("\\_") == std::string::npos);  // no escape is printed
    CHECK(svg.find("\\mu") == std::string::npos);
    CHECK(svg.find("$") == std::string::npos);
    CHECK(text(".pdf").starts_with("%PDF"));
    CHECK(text("-latex.pdf").starts_with("%PDF"));
    CHECK(tex.find("{" + figure.name + "-latex}") != std::string::npos);  // \includegraphics
    CHECK(tex.find("µ") == std::string::npos);
    CHECK(tex.find("±") == std::string::npos);
    CHECK(tex.find("×") == std::string::npos);
  }
}

TEST_CASE("figure_svg: the same figure gives the same bytes", "[reports]") {
  need_gnuplot();
  for (const auto& figure : all_figures()) {
    INFO(figure.name);
    CHECK(figure_svg(figure) == figure_svg(figure));
  }
}
