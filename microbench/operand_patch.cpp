#include "microbench/operand_patch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "model/support/errors.hpp"

namespace tilecast {

namespace {

// Encoding as in operand_reads.cpp.
bool is_ffma(const MachineWord& word) {
  return (word.low & 0xfff) == 0x223;
}

bool is_shared_load(const MachineWord& word) {
  return (word.low & 0xfff) == 0x984;
}

std::string_view bytes_of(std::span<const MachineWord> words) {
  return {reinterpret_cast<const char*>(words.data()), words.size_bytes()};
}

std::array<std::vector<unsigned>, 2> source_banks(std::span<const MachineWord> loop) {
  std::set<unsigned> sources, results;
  for (const MachineWord& word : loop) {
    if (!is_ffma(word)) continue;
    results.insert(word.low >> 16 & 0xff);
    for (const std::uint64_t source : {word.low >> 24, word.low >> 32, word.high})
      sources.insert(static_cast<unsigned>(source & 0xff));
  }
  std::array<std::vector<unsigned>, 2> banks;
  for (const unsigned source : sources) {
    if (source != 255 && !results.contains(source)) banks[source % 2].push_back(source);
  }
  return banks;
}

}  // namespace

std::vector<MachineWord> with_operands(std::span<const MachineWord> loop, const OperandPattern& pattern) {
  const auto banks = source_banks(loop);
  for (const auto& bank : banks) {
    if (bank.size() < 4) {
      throw Error(ExitCode::failure,
                  fmt::format("{} registers of one bank to choose from, expected four", bank.size()));
    }
  }
  std::vector<MachineWord> words(loop.begin(), loop.end());
  std::array<std::size_t, 2> turn{};
  std::size_t at = 0;
  for (MachineWord& word : words) {
    if (!is_ffma(word)) continue;
    const std::string_view letters = pattern.ffmas[at++ % pattern.ffmas.size()];
    std::array<std::uint64_t, 3> sources{};
    std::uint64_t reuse = 0;
    for (std::size_t slot = 0; slot < 3; ++slot) {
      const char letter = letters[slot];
      const std::size_t odd = letter == 'o' || letter == 'O' ? 1 : 0;
      const auto& bank = banks[odd];
      if (letter == 'E' || letter == 'O') {
        // One for each slot; fresh ones begin behind them.
        sources[slot] = bank[slot];
        reuse |= 1ULL << slot;
      } else {
        sources[slot] = bank[3 + turn[odd]++ % (bank.size() - 3)];
      }
    }
    word.low = (word.low & 0xffffff0000ffffffULL) | sources[0] << 24 | sources[1] << 32;
    word.high = (word.high & ~(0xffULL | 7ULL << 58)) | sources[2] | reuse << 58;
  }
  return words;
}

std::vector<MachineWord> with_spread_loads(std::span<const MachineWord> loop) {
  constexpr std::uint64_t wait_mask = 63ULL << 52;  // kernels/sass/control_field.hpp
  std::vector<MachineWord> loads;
  std::ranges::copy_if(loop, std::back_inserter(loads), is_shared_load);
  const auto ffmas = static_cast<std::size_t>(std::ranges::count_if(loop, is_ffma));
  if (loads.empty() || ffmas % loads.size() != 0) {
    throw Error(ExitCode::failure,
                fmt::format("{} loads cannot be spread over {} FFMAs", loads.size(), ffmas));
  }
  const std::size_t spacing = ffmas / loads.size();
  std::vector<MachineWord> words;
  std::size_t seen = 0;
  for (const MachineWord& word : loop) {
    if (is_shared_load(word)) continue;
    words.push_back(word);
    if (!is_ffma(word) || seen++ % spacing != spacing / 2) continue;
    words.push_back(loads[seen / spacing]);
    words.back().high &= ~wait_mask;
  }
  return words;
}

std::vector<MachineWord> without_load_stalls(std::span<const MachineWord> code) {
  constexpr int stall_at = 41;  // four bits; kernels/sass/control_field.hpp
  std::vector<MachineWord> words(code.begin(), code.end());
  for (MachineWord& word : words) {
    if (is_shared_load(word)) word.high = (word.high & ~(15ULL << stall_at)) | 1ULL << stall_at;
  }
  return words;
}

std::vector<MachineWord> without_results(std::span<const MachineWord> loop) {
  constexpr std::uint64_t zero_register = 255;
  std::vector<MachineWord> words(loop.begin(), loop.end());
  for (MachineWord& word : words) {
    if (is_ffma(word)) word.low = (word.low & ~(0xffULL << 16)) | zero_register << 16;
  }
  return words;
}

std::vector<char> replace_code(std::span<const char> cubin, std::span<const MachineWord> from,
                               std::span<const MachineWord> to) {
  const std::string_view text(cubin.data(), cubin.size()), old = bytes_of(from);
  const auto at = text.find(old);
  if (from.size() != to.size() || at == std::string_view::npos ||
      text.find(old, at + 1) != std::string_view::npos) {
    throw Error(ExitCode::failure,
                "the code to replace is not in the cubin exactly once, or of another length");
  }
  std::vector<char> result(cubin.begin(), cubin.end());
  std::ranges::copy(bytes_of(to), result.begin() + static_cast<std::ptrdiff_t>(at));
  return result;
}

}  // namespace tilecast
