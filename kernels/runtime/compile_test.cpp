// These need NVRTC but no GPU; where NVRTC is missing they say so and check only that.

#include "kernels/runtime/compile.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "kernels/runtime/machine_code.hpp"
#include "model/support/errors.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

// A kernel whose register need and shared memory follow from its constants.
const EmbeddedFile sources[] = {
    {"t/t.cu",
     "#include \"kernels/t/params.h\"\n"
     "#include \"helper.cuh\"\n"
     "extern \"C\" __global__ void scale(const float* in, const float*, float* out, Params p) {\n"
     "  __shared__ float tile[TILE];\n"
     "  tile[threadIdx.x % TILE] = in[threadIdx.x];\n"
     "  __syncthreads();\n"
     "  out[threadIdx.x] = twice(tile[(threadIdx.x + p.shift) % TILE]);\n"
     "}\n"},
    {"t/params.h", "#pragma once\n#include <cstdint>\nstruct Params { std::int64_t shift; };\n"},
    {"t/helper.cuh", "#pragma once\ninline float twice(float x) { return 2 * x; }\n"},
};

Specialisation scale(std::int64_t tile) {
  return {"t/t.cu", "scale", {{"TILE", tile}}};
}

bool have_nvrtc() {
  try {
    compiler_version();
    return true;
  } catch (const UnavailableError& error) {
    WARN("skipped: " << error.what());
    return false;
  }
}

// A cache of its own for each test, so that nothing comes from an earlier run.
struct ScratchCache {
  std::string path =
      (std::filesystem::temp_directory_path() / ("tilecast-compile-" + std::to_string(getpid()))).string();
  ScratchCache() {
    std::filesystem::remove_all(path);
    setenv("TILECAST_CACHE", path.c_str(), 1);
  }
  ~ScratchCache() {
    std::filesystem::remove_all(path);
    unsetenv("TILECAST_CACHE");
  }
  std::vector<std::filesystem::path> entries() const {
    std::vector<std::filesystem::path> found;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(path + "/code", none))
      found.push_back(entry.path());
    return found;
  }
};

}  // namespace

TEST_CASE("compile: a specialisation becomes machine code with its record, from Turing to Blackwell",
          "[nvrtc]") {
  const ScratchCache cache;
  if (!have_nvrtc()) return;
  for (const Architecture target : {Architecture{7, 5}, {8, 0}, {8, 6}, {8, 9}, {9, 0}}) {
    INFO(target.name());
    const auto code = compile(scale(256), sources, target);
    CHECK(code.record.static_shared_bytes == 1024);
    CHECK(code.record.registers > 0);
    CHECK(code.record.registers <= 255);
    CHECK(code.record.spill_bytes == 0);
    CHECK(code.record.code_hash == code_hash(code.cubin));
  }
  for (const Architecture target : {Architecture{10, 0}, {12, 0}}) {
    try {
      CHECK(compile(scale(256), sources, target).record.static_shared_bytes == 1024);
    } catch (const UnavailableError& error) {
      WARN("skipped: " << error.what());  // an NVRTC older than the architecture
    }
  }
}

TEST_CASE("compile: the second time comes from the cache, a corrupted entry is compiled again", "[nvrtc]") {
  const ScratchCache cache;
  if (!have_nvrtc()) return;
  const auto first = compile(scale(128), sources, {9, 0});
  REQUIRE(cache.entries().size() == 1);
  const auto file = cache.entries().front();
  // Marked, so that reading the entry and compiling again can be told apart.
  const auto stamp = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  std::filesystem::last_write_time(file, stamp);
  CHECK(compile(scale(128), sources, {9, 0}).cubin == first.cubin);
  CHECK(std::filesystem::last_write_time(file) == stamp);

  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  CHECK(compile(scale(128), sources, {9, 0}).record.code_hash == first.record.code_hash);
  CHECK(std::filesystem::last_write_time(file) != stamp);  // written anew

  compile(scale(64), sources, {9, 0});
  compile(scale(128), sources, {8, 0});
  CHECK(cache.entries().size() == 3);  // another constant, another architecture
}

TEST_CASE("compile: an error carries the specialisation and the compiler's log", "[nvrtc]") {
  const ScratchCache cache;
  if (!have_nvrtc()) return;
  const EmbeddedFile broken[] = {{"b/b.cu", "extern \"C\" __global__ void b() { undeclared = 1; }\n"}};
  try {
    compile({"b/b.cu", "b", {{"K", 3}}}, broken, {9, 0});
    FAIL("compiled nonsense");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::failure);
    CHECK_THAT(error.what(), contains_text("b/b.cu:b K=3 does not compile"));
    CHECK_THAT(error.what(), contains_text("undeclared"));
  }
  CHECK(cache.entries().empty());
}

TEST_CASE("compile: an architecture that NVRTC does not know is unavailable, with those it knows",
          "[nvrtc]") {
  const ScratchCache cache;
  if (!have_nvrtc()) return;
  try {
    compile(scale(32), sources, {1, 3});
    FAIL("compiled for sm_13");
  } catch (const UnavailableError& error) {
    CHECK_THAT(error.what(), contains_text("cannot compile for sm_13"));
    CHECK_THAT(error.what(), contains_text("sm_90"));
  }
}

TEST_CASE("compile: many at once give the same as one by one, a failure stays its own", "[nvrtc]") {
  const ScratchCache cache;
  if (!have_nvrtc()) return;
  std::vector<Specialisation> codes;
  for (int tile = 1; tile <= 8; ++tile)
    codes.push_back(scale(32 * tile));
  codes.push_back({"t/t.cu", "no_such_entry", {{"TILE", 32}}});
  std::vector<std::size_t> progress;
  const auto outcomes =
      compile_all(codes, sources, {9, 0}, 4, [&](std::size_t done) { progress.push_back(done); });
  REQUIRE(outcomes.size() == 9);
  for (std::size_t i = 0; i < 8; ++i) {
    REQUIRE(outcomes[i].code);
    CHECK(outcomes[i].code->record.static_shared_bytes == 128 * (static_cast<std::int64_t>(i) + 1));
  }
  CHECK(!outcomes[8].code);
  CHECK_THAT(outcomes[8].problem, contains_text("no_such_entry"));
  CHECK(progress == std::vector<std::size_t>{1, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST_CASE("compile: every runtime kernel compiles", "[nvrtc]") {
  const ScratchCache cache;
  if (!have_nvrtc()) return;
  const auto code = compile({"runtime/clock.cu", "sm_clock", {}}, kernel_sources(), {9, 0});
  CHECK(code.record.static_shared_bytes == 0);
  CHECK(code.record.spill_bytes == 0);
}
