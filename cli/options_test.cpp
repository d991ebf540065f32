#include "cli/options.hpp"

#include <filesystem>
#include <sstream>

#include "cli/program.hpp"
#include "kernels/family.hpp"
#include "model/support/csv.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

OptionsDescription all_options() {
  OptionsDescription options;
  add_device_option(options);
  add_layer_options(options);
  add_family_option(options);
  add_configs_options(options);
  add_output_options(options);
  return options;
}

OptionValues parsed(const std::vector<std::string>& arguments) {
  const Command command{.name = "test", .options = all_options, .run = nullptr};
  return parse_options(command, arguments);
}

}  // namespace

TEST_CASE("options: --conv is a layer", "[cli]") {
  CHECK(parse_conv("2,64,56,57,128,3") == ConvShape{2, 64, 56, 57, 128, 3, 1, 0});
  CHECK(parse_conv("2,64,56,57,128,3,2,1") == ConvShape{2, 64, 56, 57, 128, 3, 2, 1});
  CHECK_THROWS_AS(parse_conv("1,2,3"), UsageError);
  CHECK(parse_conv("2,64,56,57,128,3,2,1,4") == ConvShape{2, 64, 56, 57, 128, 3, 2, 1, 4});
  CHECK_THROWS_AS(parse_conv("2,64,56,57,128,3,1,1,29"), InputError);  // 59 rows of a map of 58
  CHECK_THROWS_AS(parse_conv("2,64,56,57,128,3,1,1,0"), InputError);
  CHECK_THROWS_AS(parse_conv("1,2,3,4,5,6,7,8,9,10"), UsageError);
  CHECK_THROWS_AS(parse_conv("1,64,56,56,,3"), UsageError);
  CHECK_THROWS_AS(parse_conv("1,64,56,56,128,3x"), UsageError);
  CHECK_THROWS_AS(parse_conv(""), UsageError);
  CHECK_THROWS_AS(parse_conv("1,64,56,56,128,99999999999999999999"), UsageError);
  CHECK_THROWS_AS(parse_conv("1,64,5,5,128,7"), InputError);  // K beyond the map
  CHECK_THROWS_AS(parse_conv("1,-64,56,56,128,3"), InputError);
}

TEST_CASE("options: the families of -f, all without it", "[cli]") {
  const auto names = [](const std::vector<std::string>& arguments) {
    std::vector<std::string> list;
    for (const auto* family : families_option(parsed(arguments)))
      list.emplace_back(family->name);
    return list;
  };
  CHECK(names({"-f", "sgemm,chang_multi", "-f", "chang_single"}) ==
        std::vector<std::string>{"sgemm", "chang_multi", "chang_single"});
  CHECK(names({}).size() == kernel_families().size());
  CHECK_THROWS_AS(names({"-f", "sgem"}), InputError);
}

TEST_CASE("options: --gemm M,N,K is a 1x1 convolution", "[cli]") {
  CHECK(parse_gemm("128,256,64") == gemm_shape(128, 256, 64));
  CHECK_THROWS_AS(parse_gemm("128,256"), UsageError);
  CHECK_THROWS_AS(parse_gemm("128,256,0"), InputError);
}

TEST_CASE("options: layers come from suites and from the command line", "[cli]") {
  const auto suites = layers_option(parsed({"-l", "vgg16", "--conv", "1,1,28,28,512,3", "--gemm", "8,9,10"}));
  REQUIRE(suites.size() == 2);
  CHECK(suites[0].name == "vgg16");
  CHECK(suites[1].name == "command-line");
  REQUIRE(suites[1].layers.size() == 2);
  CHECK(suites[1].layers[0].shape.M == 512);
  CHECK(suites[1].layers[1].shape == gemm_shape(8, 9, 10));
}

TEST_CASE("options: --batch sets the images of every convolution", "[cli]") {
  const auto suites = layers_option(parsed({"--conv", "1,1,28,28,512,3", "--batch", "16"}));
  CHECK(suites.at(0).layers.at(0).shape.N == 16);
  CHECK_THROWS_AS(layers_option(parsed({"--conv", "1,1,28,28,512,3", "--batch", "0"})), UsageError);
}

TEST_CASE("options: a command without layers or device says what to add", "[cli]") {
  CHECK_THROWS_AS(layers_option(parsed({})), UsageError);
  CHECK_THROWS_AS(device_option(parsed({})), UsageError);
  CHECK(device_option(parsed({"-d", "a100"})).name == "a100");
  CHECK(device_option(parsed({"--device=v100"})).name == "v100");
}

TEST_CASE("options: families repeat or come as a list", "[cli]") {
  CHECK(family_option(parsed({})).empty());
  CHECK(family_option(parsed({"-f", "a,b", "--family", "c"})) == std::vector<std::string>{"a", "b", "c"});
  CHECK_THROWS_AS(family_option(parsed({"-f", "a,,b"})), UsageError);
}

TEST_CASE("options: a seed is a whole number of 64 bits, never a negative one", "[cli]") {
  CHECK(seed_option(parsed({})) == 1);
  CHECK(seed_option(parsed({"--seed", "18446744073709551615"})) == 18446744073709551615u);
  for (const std::string text : {"-1", "18446744073709551616", "1.5", "", "7x"})
    CHECK_THROWS_AS(seed_option(parsed({"--seed=" + text})), UsageError);
}

TEST_CASE("options: formats have names", "[cli]") {
  CHECK(format_option(parsed({})) == Format::table);
  CHECK(format_option(parsed({"--format", "jsonl"})) == Format::jsonl);
  try {
    format_option(parsed({"--format", "jsn"}));
    FAIL("expected an error");
  } catch (const UsageError& error) {
    CHECK(error.hint() == "did you mean 'json'?");
  }
}

TEST_CASE("options: --out writes the file and leaves stdout empty", "[cli]") {
  const std::string path = "options_test_out.txt";
  std::ostringstream out;
  write_output(parsed({"-o", path}), "text\n", out);
  CHECK(out.str().empty());
  CHECK(read_file(path) == "text\n");
  std::remove(path.c_str());
  write_output(parsed({}), "text\n", out);
  CHECK(out.str() == "text\n");
}

TEST_CASE("options: what cannot be written is refused before the work", "[cli]") {
  CHECK_THROWS_WITH(expect_output(parsed({"-o", "no/such/folder/x.csv"})),
                    contains_text("no/such/folder/x.csv: cannot be written: No such file or directory"));
  CHECK_THROWS_WITH(expect_output(parsed({"-o", "."})), contains_text("a folder, expected a file"));
  write_file("options_test_file.txt", "");
  CHECK_THROWS_WITH(expect_output(parsed({"-o", "options_test_file.txt/x"})),
                    contains_text("Not a directory"));
  expect_output(parsed({"-o", "options_test_file.txt"}));
  std::filesystem::remove("options_test_file.txt");
  CHECK_THROWS_AS(expect_output(parsed({"--format", "jsn"})), UsageError);
  expect_output(parsed({}));
  expect_output(parsed({"-o", "-"}));
  expect_output(parsed({"-o", "/dev/null"}));
  expect_output(parsed({"-o", "options_test_new.txt"}));
  CHECK_FALSE(std::filesystem::exists("options_test_new.txt"));
}

TEST_CASE("options: --out - is stdout", "[cli]") {
  std::ostringstream out;
  write_output(parsed({"--out", "-"}), "text", out);
  CHECK(out.str() == "text");
}
