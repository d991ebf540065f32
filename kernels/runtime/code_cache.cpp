#include "kernels/runtime/code_cache.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "kernels/runtime/hash.hpp"

namespace tilecast {
namespace {

constexpr std::string_view format_line = "tilecast code 1";

std::string header_text(const std::string& key, const CompiledCode& code) {
  const auto& record = code.record;
  return fmt::format("{}\n{}\n{} {} {} {}\n{}\n", format_line, key, record.registers,
                     record.static_shared_bytes, record.spill_bytes, record.code_hash, code.cubin.size());
}

std::string checksum(std::string_view header, std::string_view cubin) {
  return Fnv1a().add(header).add(cubin).hex();
}

}  // namespace

std::string cache_folder() {
  const auto set = [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    if (!value || !*value) return std::nullopt;
    return value;
  };
  if (const auto folder = set("TILECAST_CACHE")) return *folder;
  if (const auto folder = set("XDG_CACHE_HOME")) return *folder + "/tilecast";
  if (const auto home = set("HOME")) return *home + "/.cache/tilecast";
  return (std::filesystem::temp_directory_path() / "tilecast-cache").string();
}

std::optional<CompiledCode> load_cached(const std::string& folder, const std::string& name,
                                        const std::string& key) {
  std::ifstream file(folder + "/" + name, std::ios::binary);
  if (!file) return std::nullopt;
  std::string sum, format, stored_key, facts;
  CompiledCode code;
  std::size_t size = 0;
  std::getline(file, sum);
  std::getline(file, format);
  std::getline(file, stored_key);
  std::getline(file, facts);
  auto& record = code.record;
  std::istringstream fields(facts);
  fields >> record.registers >> record.static_shared_bytes >> record.spill_bytes >> record.code_hash;
  file >> size;
  if (!fields || !file || file.get() != '\n' || format != format_line || stored_key != key)
    return std::nullopt;
  code.cubin.assign(std::istreambuf_iterator<char>(file), {});
  if (code.cubin.size() != size) return std::nullopt;
  if (checksum(header_text(key, code), {code.cubin.data(), code.cubin.size()}) != sum) return std::nullopt;
  return code;
}

void store_cached(const std::string& folder, const std::string& name, const std::string& key,
                  const CompiledCode& code) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  // Several threads and processes may store the same entry: each writes a file of its own, the last rename
  // wins, and all contents are equal.
  static std::atomic<unsigned> serial{0};
  const std::string temporary = fmt::format("{}/{}.{}.{}.tmp", folder, name, getpid(), serial++);
  const std::string header = header_text(key, code);
  const std::string_view cubin(code.cubin.data(), code.cubin.size());
  std::ofstream file(temporary, std::ios::binary);
  file << checksum(header, cubin) << '\n' << header << cubin;
  file.close();
  if (file) std::filesystem::rename(temporary, folder + "/" + name, error);
  if (!file || error) std::filesystem::remove(temporary, error);
}

}  // namespace tilecast
