#include "cli/options.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <ostream>

#include "kernels/family.hpp"
#include "model/device/load.hpp"
#include "model/support/csv.hpp"
#include "model/support/nearest.hpp"

namespace tilecast {

namespace po = boost::program_options;

namespace {

std::vector<std::int64_t> parse_integers(std::string_view text, std::string_view option,
                                         std::string_view expected) {
  std::vector<std::int64_t> values;
  for (const auto& part : split_list(text, option)) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc{} || end != part.data() + part.size())
      throw UsageError(fmt::format("{} {}: '{}', expected {}", option, text, part, expected));
    values.push_back(value);
  }
  return values;
}

void expect_layer(const ConvShape& shape, std::string_view option, std::string_view text) {
  const std::string problem = shape_problem(shape);
  if (!problem.empty()) throw InputError(fmt::format("{} {}: {}", option, text, problem));
}

struct FormatName {
  std::string_view name;
  Format format;
};
constexpr std::array formats{FormatName{"table", Format::table}, FormatName{"csv", Format::csv},
                             FormatName{"json", Format::json}, FormatName{"jsonl", Format::jsonl}};

}  // namespace

std::vector<std::string> split_list(std::string_view text, std::string_view option) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    if (end == begin) throw UsageError(fmt::format("{} '{}': an empty value in the list", option, text));
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

ConvShape parse_conv(std::string_view text) {
  constexpr std::string_view expected = "N,C,H,W,M,K[,stride,pad[,dilation]], all integers";
  const auto v = parse_integers(text, "--conv", expected);
  if (v.size() < 6 || v.size() > 9)
    throw UsageError(fmt::format("--conv {}: {} values, expected {}", text, v.size(), expected));
  ConvShape shape{v[0], v[1], v[2], v[3], v[4], v[5]};
  if (v.size() > 6) shape.stride = v[6];
  if (v.size() > 7) shape.pad = v[7];
  if (v.size() > 8) shape.dilation = v[8];
  expect_layer(shape, "--conv", text);
  return shape;
}

ConvShape parse_gemm(std::string_view text) {
  constexpr std::string_view expected = "M,N,K, all integers";
  const auto v = parse_integers(text, "--gemm", expected);
  if (v.size() != 3)
    throw UsageError(fmt::format("--gemm {}: {} values, expected {}", text, v.size(), expected));
  const ConvShape shape = gemm_shape(v[0], v[1], v[2]);
  expect_layer(shape, "--gemm", text);
  return shape;
}

void add_device_option(OptionsDescription& options) {
  options.add_options()("device,d", po::value<std::string>()->value_name("NAME|FILE"),
                        "device profile: a name of 'tilecast devices list', or a JSON file");
}

DeviceProfile device_option(const OptionValues& values) {
  if (!values.count("device"))
    throw UsageError("no device given", "add -d NAME|FILE; 'tilecast devices list' shows the names");
  return load_device(values["device"].as<std::string>());
}

void add_layer_options(OptionsDescription& options) {
  using Texts = std::vector<std::string>;
  options.add_options()("layers,l", po::value<Texts>()->composing()->value_name("SUITE|FILE|-"),
                        "layers: a shipped suite, random:COUNT:SEED, or a CSV file with columns N,C,H,W,M,K "
                        "(repeatable)")(
      "conv", po::value<Texts>()->composing()->value_name("N,C,H,W,M,K[,stride,pad[,dilation]]"),
      "one convolution layer (repeatable)")("gemm", po::value<Texts>()->composing()->value_name("M,N,K"),
                                            "one matrix product, M x K times K x N (repeatable)")(
      "batch", po::value<std::int64_t>()->value_name("N"), "images, for every layer of --layers and --conv");
}

std::vector<Suite> layers_option(const OptionValues& values) {
  const auto texts = [&](const char* name) {
    return values.count(name) ? values[name].as<std::vector<std::string>>() : std::vector<std::string>{};
  };
  std::vector<Suite> suites;
  for (const auto& name : texts("layers"))
    suites.push_back(load_suite(name));
  Suite typed{"command-line", {}};
  for (const auto& text : texts("conv"))
    typed.layers.push_back({"conv " + text, "command line", parse_conv(text)});
  const std::size_t convolutions = typed.layers.size();
  for (const auto& text : texts("gemm"))
    typed.layers.push_back({"gemm " + text, "command line", parse_gemm(text)});

  if (values.count("batch")) {
    const auto batch = values["batch"].as<std::int64_t>();
    if (batch < 1) throw UsageError(fmt::format("--batch {}: expected a positive integer", batch));
    const auto set_batch = [&](Layer& layer) {
      layer.shape.N = batch;
      expect_layer(layer.shape, "--batch", layer.id);
    };
    for (auto& suite : suites) {
      for (auto& layer : suite.layers)
        set_batch(layer);
    }
    for (std::size_t i = 0; i < convolutions; ++i)
      set_batch(typed.layers[i]);
  }
  if (!typed.layers.empty()) suites.push_back(std::move(typed));
  if (suites.empty())
    throw UsageError("no layers given", "add -l SUITE|FILE, --conv N,C,H,W,M,K or --gemm M,N,K");
  return suites;
}

void add_family_option(OptionsDescription& options) {
  options.add_options()("family,f", po::value<std::vector<std::string>>()->composing()->value_name("NAME"),
                        "kernel family (repeatable, or a comma-separated list)");
}

std::vector<std::string> family_option(const OptionValues& values) {
  std::vector<std::string> names;
  if (!values.count("family")) return names;
  for (const auto& text : values["family"].as<std::vector<std::string>>()) {
    for (auto& name : split_list(text, "--family"))
      names.push_back(std::move(name));
  }
  return names;
}

std::vector<const KernelFamily*> families_option(const OptionValues& values) {
  std::vector<const KernelFamily*> families;
  for (const auto& name : family_option(values))
    families.push_back(&family_by_name(name));
  if (families.empty()) {
    for (const auto& family : kernel_families())
      families.push_back(&family);
  }
  return families;
}

void add_configs_options(OptionsDescription& options) {
  options.add_options()("configs", po::value<std::string>()->default_value("all")->value_name("all|sample:N"),
                        "every feasible config, or a random N of each layer");
  add_seed_option(options, "of the sample, and of inputs");
}

void add_seed_option(OptionsDescription& options, const char* what) {
  // Text, because Boost reads "-1" as the largest unsigned number.
  options.add_options()("seed", po::value<std::string>()->default_value("1")->value_name("N"), what);
}

std::uint64_t seed_option(const OptionValues& values) {
  const auto& text = values["seed"].as<std::string>();
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc{} || end != text.data() + text.size())
    throw UsageError(fmt::format("--seed '{}', expected a whole number from 0 to 2^64 - 1", text));
  return seed;
}

std::optional<std::size_t> configs_option(const OptionValues& values) {
  const auto configs = values["configs"].as<std::string>();
  if (configs == "all") return std::nullopt;
  std::size_t count = 0;
  const std::string_view number = std::string_view(configs).substr(std::min<std::size_t>(7, configs.size()));
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), count);
  if (!configs.starts_with("sample:") || error != std::errc{} || end != number.data() + number.size() ||
      count < 1)
    throw UsageError(fmt::format("--configs '{}', expected all or sample:N with N of 1 or more", configs));
  return count;
}

void add_output_options(OptionsDescription& options) {
  options.add_options()("format",
                        po::value<std::string>()->default_value("table")->value_name("table|csv|json|jsonl"),
                        "how results are written")("out,o", po::value<std::string>()->value_name("FILE"),
                                                   "write results to a file instead of stdout")(
      "quiet,q", "no progress and no notes on stderr");
}

Format format_option(const OptionValues& values) {
  const auto name = values["format"].as<std::string>();
  std::vector<std::string> names;
  for (const auto& known : formats) {
    if (known.name == name) return known.format;
    names.emplace_back(known.name);
  }
  throw UsageError(fmt::format("unknown format '{}'", name), nearest_hint(name, names));
}

bool quiet_option(const OptionValues& values) {
  return values.count("quiet") > 0;
}

void expect_writable(const std::string& path) {
  namespace fs = std::filesystem;
  const auto fail = [&](std::string_view reason) {
    throw Error(ExitCode::failure, fmt::format("{}: cannot be written: {}", path, reason));
  };
  std::error_code error;
  const auto kind = fs::status(path, error).type();
  if (kind == fs::file_type::directory) fail("a folder, expected a file");
  if (kind != fs::file_type::regular && kind != fs::file_type::not_found) return;  // a device, a pipe
  // A link's file is written where that lies.
  const auto target = kind == fs::file_type::regular ? fs::canonical(path, error) : fs::path(path);
  const auto folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  if (fs::exists(folder, error) && !fs::is_directory(folder, error)) fail(std::strerror(ENOTDIR));
  if (::access(folder.c_str(), W_OK | X_OK) != 0) fail(std::strerror(errno));
}

void expect_output(const OptionValues& values) {
  if (values.count("format")) format_option(values);
  if (values.count("out") && values["out"].as<std::string>() != "-")
    expect_writable(values["out"].as<std::string>());
}

void write_output(const OptionValues& values, std::string_view text, std::ostream& out) {
  if (values.count("out") && values["out"].as<std::string>() != "-") {
    write_file(values["out"].as<std::string>(), text);
  } else {
    out << text;
  }
}

}  // namespace tilecast
