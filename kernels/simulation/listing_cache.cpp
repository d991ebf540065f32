#include "kernels/simulation/listing_cache.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "kernels/runtime/compile.hpp"
#include "kernels/runtime/hash.hpp"
#include "kernels/sass/disassemble.hpp"

namespace tilecast {
namespace {

constexpr std::string_view format_line = "tilecast listing 1";

std::string path_of(const std::string& folder, std::span<const char> cubin) {
  return fmt::format("{}/{}.sass", folder, Fnv1a().add({cubin.data(), cubin.size()}).hex());
}

}  // namespace

std::string compact_listing(std::string_view listing) {
  std::string text;
  text.reserve(listing.size() / 2);
  bool blank = false;
  for (const char c : listing) {
    if (c == ' ') {
      blank = true;
      continue;
    }
    if (blank && c != '\n' && !text.empty() && text.back() != '\n') text.push_back(' ');
    blank = false;
    text.push_back(c);
  }
  return text;
}

std::optional<std::string> load_listing(const std::string& folder, std::span<const char> cubin) {
  std::ifstream file(path_of(folder, cubin), std::ios::binary);
  if (!file) return std::nullopt;
  std::string format, sum;
  std::getline(file, format);
  std::getline(file, sum);
  std::string listing((std::istreambuf_iterator<char>(file)), {});
  if (format != format_line || Fnv1a().add(listing).hex() != sum) return std::nullopt;
  return listing;
}

void store_listing(const std::string& folder, std::span<const char> cubin, std::string_view listing) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  static std::atomic<unsigned> serial{0};  // of this process's temporary files
  const std::string path = path_of(folder, cubin);
  const std::string temporary = fmt::format("{}.{}.{}.tmp", path, getpid(), serial++);
  std::ofstream file(temporary, std::ios::binary);
  file << format_line << '\n' << Fnv1a().add(listing).hex() << '\n' << listing;
  file.close();
  if (file) std::filesystem::rename(temporary, path, error);
  if (!file || error) std::filesystem::remove(temporary, error);
}

std::vector<std::string> cached_listings(const std::string& folder,
                                         std::span<const std::span<const char>> cubins) {
  std::vector<std::string> listings(cubins.size());
  std::vector<std::size_t> missing;
  std::vector<std::span<const char>> to_list;
  for (std::size_t i = 0; i < cubins.size(); ++i) {
    if (auto known = load_listing(folder, cubins[i])) {
      listings[i] = std::move(*known);
    } else {
      missing.push_back(i);
      to_list.push_back(cubins[i]);
    }
  }
  if (missing.empty()) return listings;
  const auto fresh = sass::disassemble_all(to_list);
  for (std::size_t i = 0; i < missing.size(); ++i) {
    auto& listing = listings[missing[i]] = compact_listing(fresh[i]);
    store_listing(folder, cubins[missing[i]], listing);
  }
  return listings;
}

std::string listing_folder() {
  return cache_folder() + "/listings";
}

}  // namespace tilecast
