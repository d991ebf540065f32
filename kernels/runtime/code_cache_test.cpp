#include "kernels/runtime/code_cache.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/catch.hpp"

using namespace tilecast;

namespace {

struct ScratchFolder {
  std::string path =
      (std::filesystem::temp_directory_path() / ("tilecast-cache-" + std::to_string(getpid()))).string();
  ScratchFolder() { std::filesystem::remove_all(path); }
  ~ScratchFolder() { std::filesystem::remove_all(path); }
};

CompiledCode sample_code() {
  const std::string bytes(
      "\x7f"
      "ELF\0\n\xff rest",
      11);
  return {{bytes.begin(), bytes.end()},
          {.registers = 40, .static_shared_bytes = 256, .spill_bytes = 0, .code_hash = "00ff"}};
}

}  // namespace

TEST_CASE("code cache: what is stored is loaded, under its key only") {
  const ScratchFolder folder;
  CHECK(!load_cached(folder.path, "entry", "key"));
  store_cached(folder.path, "entry", "key", sample_code());
  const auto loaded = load_cached(folder.path, "entry", "key");
  REQUIRE(loaded);
  CHECK(loaded->cubin == sample_code().cubin);
  CHECK(loaded->record.registers == 40);
  CHECK(loaded->record.static_shared_bytes == 256);
  CHECK(loaded->record.code_hash == "00ff");
  CHECK(!load_cached(folder.path, "entry", "another key"));
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path), {}) == 1);  // no temporary is left
}

TEST_CASE("code cache: an entry with any byte changed, or cut short, counts as absent") {
  const ScratchFolder folder;
  store_cached(folder.path, "entry", "key", sample_code());
  const std::string file = folder.path + "/entry";
  std::ifstream in(file, std::ios::binary);
  const std::string good(std::istreambuf_iterator<char>(in), {});
  const auto rewrite = [&](const std::string& text) { std::ofstream(file, std::ios::binary) << text; };
  int accepted = 0;
  for (std::size_t i = 0; i < good.size(); ++i) {
    auto bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    rewrite(bad);
    if (load_cached(folder.path, "entry", "key")) ++accepted;
    rewrite(good.substr(0, i));
    if (load_cached(folder.path, "entry", "key")) ++accepted;
  }
  CHECK(accepted == 0);
  rewrite(good);
  CHECK(load_cached(folder.path, "entry", "key"));
}

TEST_CASE("code cache: a folder that cannot be made is not an error") {
  store_cached("/dev/null/nowhere", "entry", "key", sample_code());
  CHECK(!load_cached("/dev/null/nowhere", "entry", "key"));
}

TEST_CASE("code cache: the folder follows the environment, TILECAST_CACHE first") {
  const auto saved = [](const char* name) { return std::string(std::getenv(name) ? std::getenv(name) : ""); };
  const std::string old_cache = saved("TILECAST_CACHE"), old_xdg = saved("XDG_CACHE_HOME");
  setenv("XDG_CACHE_HOME", "/xdg", 1);
  setenv("TILECAST_CACHE", "/mine", 1);
  CHECK(cache_folder() == "/mine");
  setenv("TILECAST_CACHE", "", 1);
  CHECK(cache_folder() == "/xdg/tilecast");
  setenv("TILECAST_CACHE", old_cache.c_str(), 1);  // an empty value counts as none
  setenv("XDG_CACHE_HOME", old_xdg.c_str(), 1);
}
