#pragma once
// Layer lists: the suites shipped with the program, and CSV files of the user.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/support/embedded.hpp"
#include "model/workload/conv_shape.hpp"

namespace tilecast {

struct Layer {
  std::string id;
  std::string source;
  ConvShape shape;
};

struct Suite {
  std::string name;
  std::vector<Layer> layers;
};

std::span<const EmbeddedFile> suite_files();  // suites/*.csv
std::vector<std::string> suite_names();       // "chang-single", ...

// CSV with a header naming at least N,C,H,W,M,K in any order (id, source, stride, pad and dilation
// optional; '#' starts a comment). Throws InputError "name:line: column 'W': '-3', expected a positive
// integer".
std::vector<Layer> parse_layers(std::string_view csv, std::string_view name);

// A shipped suite by name, layers drawn at random ("random:40:7", see random_layers.hpp), else a file by path
// ("-" is standard input). Throws InputError with the nearest name.
Suite load_suite(const std::string& name_or_path);

}  // namespace tilecast
