#include "model/workload/suites.hpp"

#include <unistd.h>

#include <filesystem>

#include "model/support/csv.hpp"
#include "model/support/errors.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

std::string message_of(std::string_view csv) {
  try {
    parse_layers(csv, "layers.csv");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("suites: every shipped suite parses and the paper's have the paper's sizes", "[workload]") {
  const auto names = suite_names();
  REQUIRE(names.size() >= 12);
  for (const auto& name : names)
    CHECK_FALSE(load_suite(name).layers.empty());

  const auto single = load_suite("chang-single");
  CHECK(single.name == "chang-single");
  REQUIRE(single.layers.size() == 18);  // 6 maps x 3 filter sizes
  CHECK(single.layers[0].id == "chang-sc-28-m512-k1");
  CHECK(single.layers[0].shape == ConvShape{.C = 1, .H = 28, .W = 28, .M = 512, .K = 1});
  for (const auto& layer : single.layers)
    CHECK(layer.shape.C == 1);
  const auto multi = load_suite("chang-multi");
  CHECK(multi.layers.size() == 30);
  for (const auto& layer : multi.layers)
    CHECK(layer.shape.C > 1);
}

TEST_CASE("suites: columns in any order, comments, CRLF, byte-order mark", "[workload]") {
  const auto layers = parse_layers(
      "\xEF\xBB\xBF# a note\r\nK,M,W,H,C,N,pad\r\n3,8,6,5,2,1,1\r\n# between\r\n1,4,7,7,3,2,0\r\n", "x");
  REQUIRE(layers.size() == 2);
  CHECK(layers[0].shape == ConvShape{.N = 1, .C = 2, .H = 5, .W = 6, .M = 8, .K = 3, .stride = 1, .pad = 1});
  CHECK(layers[0].id == "layer-1");
  CHECK(layers[1].shape == ConvShape{.N = 2, .C = 3, .H = 7, .W = 7, .M = 4, .K = 1});
}

TEST_CASE("suites: a column for the dilation, 1 without it", "[workload]") {
  const auto layers =
      parse_layers("N,C,H,W,M,K,stride,pad,dilation\n1,2,9,9,4,3,1,2,2\n1,2,9,9,4,3,1,2,1\n", "x");
  REQUIRE(layers.size() == 2);
  CHECK(layers[0].shape == ConvShape{.C = 2, .H = 9, .W = 9, .M = 4, .K = 3, .pad = 2, .dilation = 2});
  CHECK(layers[1].shape == ConvShape{.C = 2, .H = 9, .W = 9, .M = 4, .K = 3, .pad = 2});
  for (const auto& name : suite_names()) {
    for (const auto& layer : load_suite(name).layers)
      CHECK(layer.shape.dilation == 1);
  }
}

TEST_CASE("suites: bad rows name file, line, column, value and what was expected", "[workload]") {
  CHECK(
      message_of("N,C,H,W,M\n1,1,8,8,4\n") ==
      "layers.csv: column 'K' is missing, expected N,C,H,W,M,K and optionally id,source,stride,pad,dilation");
  CHECK(message_of("N,C,H,W,M,K\n1,1,8,-3,4,1\n") ==
        "layers.csv:2: column 'W': '-3', expected a positive integer");
  CHECK(message_of("N,C,H,W,M,K\n1,1,8,8,4,1\n1,0,8,8,4,1\n") ==
        "layers.csv:3: column 'C': '0', expected a positive integer");
  CHECK(message_of("N,C,H,W,M,K,pad\n1,1,4,4,4,7,1\n") ==
        "layers.csv:2: column 'K': '7', expected at most the padded map (6 x 6)");
  CHECK(message_of("N,C,H,W,M,K,dilation\n1,1,4,4,4,3,2\n") ==
        "layers.csv:2: column 'dilation': '2', expected (K - 1) * dilation + 1 = 5 at most the padded map "
        "(4 x 4)");
  CHECK(message_of("N,C,H,W,M,K,dilation\n1,1,4,4,4,3,\n") ==
        "layers.csv:2: column 'dilation': '', expected an integer");
  CHECK(message_of("N,C,H,W,M,K\n1,1,8,8x,4,1\n") == "layers.csv:2: column 'W': '8x', expected an integer");
  CHECK(message_of("N,C,H,W,M,K\n1,1,99999999999999999999,8,4,1\n") ==
        "layers.csv:2: column 'H': '99999999999999999999', expected an integer below 2^63");
  CHECK(message_of("N,C,H,W,M,K\n1,1073741824,1073741824,8,1073741824,1\n") ==
        "layers.csv:2: N*C*H*W: overflows, expected at most 2^62 input elements");
  CHECK(message_of("N,C,H,W,M,K\n1,1,8,8,4\n") == "layers.csv:2: 5 fields, expected 6 as in the header");
  CHECK(message_of("id,N,C,H,W,M,K\na,1,1,8,8,4,1\na,1,1,8,8,4,3\n") ==
        "layers.csv:3: column 'id': 'a', expected a name that no earlier line has");
  CHECK(message_of("N,C,H,W,M,K\n") == "layers.csv: no layers, expected at least one line");
  CHECK(message_of("") == "layers.csv: no header line, expected column names");
}

TEST_CASE("suites: a misspelt optional column is refused with the nearest name", "[workload]") {
  try {
    parse_layers("N,C,H,W,M,K,strid\n1,1,8,8,4,1,2\n", "layers.csv");
    FAIL("no error");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()).find("unknown column 'strid'") != std::string::npos);
    CHECK(error.hint() == "did you mean 'stride'?");
  }
}

TEST_CASE("suites: an unknown name suggests the nearest suite", "[workload]") {
  try {
    load_suite("chang-singel");
    FAIL("no error");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()) == "'chang-singel': neither a shipped suite nor a file");
    CHECK(error.hint() == "did you mean 'chang-single'?");
    CHECK(error.code() == ExitCode::invalid_input);
  }
}

TEST_CASE("suites: a user's file is read by path", "[workload]") {
  const std::string name = "tilecast_suites_test_" + std::to_string(::getpid());
  const auto path = (std::filesystem::temp_directory_path() / (name + ".csv")).string();
  write_file(path, "id,N,C,H,W,M,K\nmine,1,1,8,8,4,3\n");
  const auto suite = load_suite(path);
  std::filesystem::remove(path);
  CHECK(suite.name == name);
  REQUIRE(suite.layers.size() == 1);
  CHECK(suite.layers[0].id == "mine");
}
