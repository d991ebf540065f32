#include "cli/program.hpp"

#include <sstream>
#include <stdexcept>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

namespace po = boost::program_options;

OptionsDescription toy_options() {
  OptionsDescription options;
  options.add_options()("count", po::value<int>(), "how many")("fail", po::value<std::string>(),
                                                               "how to fail");
  return options;
}

ExitCode run_toy(const OptionValues& values, CommandStreams streams) {
  const std::string fail = values.count("fail") ? values["fail"].as<std::string>() : "";
  if (fail == "input") throw InputError("file.csv:3: bad", "mend it");
  if (fail == "unavailable") throw UnavailableError("no GPU");
  if (fail == "standard") throw std::runtime_error("disk on fire");
  if (fail == "gate") return ExitCode::gate_failed;
  streams.out << "word " << (values.count("word") ? values["word"].as<std::string>() : "-");
  if (values.count("rest")) {
    for (const auto& word : values["rest"].as<std::vector<std::string>>())
      streams.out << " +" << word;
  }
  if (values.count("count")) streams.out << " count " << values["count"].as<int>();
  streams.out << "\n";
  return ExitCode::success;
}

struct Outcome {
  int code;
  std::string out, err;
};

Outcome run(const std::vector<std::string>& arguments) {
  static const std::vector<Command> toys{{.name = "toy",
                                          .summary = "a toy",
                                          .usage = "toy WORD [REST...]",
                                          .examples = "tilecast toy a\ntilecast toy b",
                                          .options = toy_options,
                                          .positional = {"word", "rest..."},
                                          .run = run_toy}};
  std::ostringstream out, err;
  const int code = run_program(arguments, toys, {out, err});
  return {code, out.str(), err.str()};
}

}  // namespace

TEST_CASE("program: a command gets its options and arguments", "[cli]") {
  const auto outcome = run({"toy", "a", "b", "--count", "3", "c"});
  CHECK(outcome.code == 0);
  CHECK(outcome.out == "word a +b +c count 3\n");
  CHECK(outcome.err.empty());
}

TEST_CASE("program: help is made from the descriptions", "[cli]") {
  for (const auto& arguments :
       {std::vector<std::string>{}, {"help"}, {"--help"}, {"-h"}, {"help", "help"}, {"help", "--help"}}) {
    const auto outcome = run(arguments);
    CHECK(outcome.code == 0);
    CHECK(outcome.out.find("  toy   a toy\n") != std::string::npos);
  }
  const auto help = run({"help", "toy"});
  CHECK(help.code == 0);
  CHECK(help.out.find("Usage: tilecast toy WORD [REST...]") == 0);
  CHECK(help.out.find("how many") != std::string::npos);
  CHECK(help.out.find("  tilecast toy b\n") != std::string::npos);
  CHECK(run({"toy", "--help"}).out == help.out);
  CHECK(run({"toy", "x", "-h"}).out == help.out);
}

TEST_CASE("program: --version says the version", "[cli]") {
  const auto outcome = run({"--version"});
  CHECK(outcome.code == 0);
  CHECK(outcome.out == "tilecast " + std::string(program_version()) + "\n");
}

TEST_CASE("program: misuse exits with 2 and names the nearest", "[cli]") {
  auto outcome = run({"tooy"});
  CHECK(outcome.code == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err == "error: unknown command 'tooy'\nhint: did you mean 'toy'?\n");
  outcome = run({"toy", "--conut", "3"});
  CHECK(outcome.code == 2);
  CHECK(outcome.err == "error: toy: unknown option '--conut'\nhint: did you mean '--count'?\n");
  CHECK(run({"toy", "--coun", "3"}).code == 2);  // no guessing
  outcome = run({"toy", "--count", "many"});
  CHECK(outcome.code == 2);
  CHECK(outcome.err ==
        "error: toy: the argument ('many') for option '--count' is invalid, expected a whole number\n"
        "hint: 'tilecast toy --help' lists the options\n");
  CHECK(run({"toy", "--count"}).code == 2);
  CHECK(run({"toy", "--count", "1", "--count", "2"}).code == 2);
  CHECK(run({"--count", "3", "toy"}).code == 2);
  CHECK(run({"help", "a", "b"}).code == 2);
  CHECK(run({"help", "tooy"}).code == 2);
}

TEST_CASE("program: errors become exit codes", "[cli]") {
  const auto input = run({"toy", "--fail", "input"});
  CHECK(input.code == 3);
  CHECK(input.err == "error: file.csv:3: bad\nhint: mend it\n");
  const auto unavailable = run({"toy", "--fail", "unavailable"});
  CHECK(unavailable.code == 5);
  CHECK(unavailable.err == "error: no GPU\n");
  const auto standard = run({"toy", "--fail", "standard"});
  CHECK(standard.code == 1);
  CHECK(standard.err == "error: disk on fire\n");
  CHECK(run({"toy", "--fail", "gate"}).code == 4);
}

TEST_CASE("program: output that cannot be written is a failure", "[cli]") {
  std::ostringstream out, err;
  out.setstate(std::ios::badbit);
  CHECK(run_program({"--version"}, {}, {out, err}) == 1);
  CHECK(err.str() == "error: cannot write the output\n");
}

TEST_CASE("commands: each has a unique name, options, a usage line and examples", "[cli]") {
  std::vector<std::string_view> seen;
  for (const auto& command : commands()) {
    CAPTURE(command.name);
    CHECK(std::find(seen.begin(), seen.end(), command.name) == seen.end());
    seen.push_back(command.name);
    CHECK_FALSE(command.summary.empty());
    CHECK(command.usage.starts_with(command.name));
    CHECK(command.examples.starts_with("tilecast "));
    REQUIRE(command.options != nullptr);
    REQUIRE(command.run != nullptr);
    CHECK_FALSE(command_help(command).empty());
  }
}
