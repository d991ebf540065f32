#include "kernels/runtime/source_set.hpp"

#include "model/support/errors.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

TEST_CASE("source set: the kernel and all it includes, by any of its spellings, once") {
  const EmbeddedFile files[] = {
      {"fam/fam.cu", "#include \"fam/params.h\"\n  #  include \"kernels/common/load.cuh\"\nint x;\n"},
      {"fam/params.h", "#pragma once\n#include <cstdint>\n"},
      {"fam/unused.h", ""},
      {"common/load.cuh", "#include \"common/wait.cuh\"\n#include \"fam/params.h\"\n"},
      {"common/wait.cuh", "#include \"absent.h\"\n// #include \"fam/unused.h\"\n"},
  };
  const auto used = reachable_sources("fam/fam.cu", files);
  std::vector<std::string_view> paths;
  for (const auto& file : used)
    paths.push_back(file.path);
  CHECK(paths ==
        std::vector<std::string_view>{"fam/fam.cu", "fam/params.h", "common/load.cuh", "common/wait.cuh"});
  CHECK_THROWS_AS(reachable_sources("fam/absent.cu", files), Error);
}

TEST_CASE(
    "source set: a header has its path, its path below kernels/, and its bare name from its own folder") {
  CHECK(include_names("fam/params.h", "fam/fam.cu") ==
        std::vector<std::string>{"fam/params.h", "kernels/fam/params.h", "params.h"});
  CHECK(include_names("common/load.cuh", "fam/fam.cu") ==
        std::vector<std::string>{"common/load.cuh", "kernels/common/load.cuh"});
}
