#include "microbench/operand_reads.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <vector>

namespace tilecast {

namespace {

// Fields of an instruction, read off nvdisasm -hex for sm_80 and sm_90.
constexpr std::uint64_t ffma_code = 0x223, branch_code = 0x947;
constexpr unsigned zero_register = 255;

std::uint64_t bits(std::uint64_t word, int from, int count) {
  return (word >> from) & ((1ULL << count) - 1);
}

bool is(const MachineWord& word, std::uint64_t code) {
  return bits(word.low, 0, 12) == code;
}

// The index of the instruction that the branch at `at` goes to: a signed offset in units of 4 bytes from the
// next instruction, whose lowest 8 bits sm_90 keeps apart.
std::optional<std::size_t> branch_target(const MachineWord& word, std::size_t at, int major) {
  const std::uint64_t field = bits(word.low, 34, 30) | bits(word.high, 0, 18) << 30;
  const int width = major >= 9 ? 56 : 48;
  std::uint64_t offset = major >= 9 ? field << 8 | bits(word.low, 16, 8) : field;
  if (offset >> (width - 1) & 1) offset |= ~((1ULL << width) - 1);
  const auto target = static_cast<std::int64_t>(at) + 1 + static_cast<std::int64_t>(offset) / 4;
  if (target < 0) return std::nullopt;
  return static_cast<std::size_t>(target);
}

using BankReads = std::array<int, 2>;

// What the reuse cache holds: one register for each operand slot and bank.
class ReuseCache {
 public:
  BankReads read(const MachineWord& ffma) {
    const std::array<unsigned, 3> sources = {static_cast<unsigned>(bits(ffma.low, 24, 8)),
                                             static_cast<unsigned>(bits(ffma.low, 32, 8)),
                                             static_cast<unsigned>(bits(ffma.high, 0, 8))};
    const std::uint64_t flags = bits(ffma.high, 58, 3);
    std::set<unsigned> wanted;
    for (std::size_t slot = 0; slot < 3; ++slot) {
      const unsigned source = sources[slot];
      if (source == zero_register) continue;
      auto& kept = held_[slot][source % 2];
      if (kept != source) wanted.insert(source);
      kept = (flags >> slot & 1) ? std::optional(source) : std::nullopt;
    }
    BankReads reads{};
    for (const unsigned source : wanted)
      ++reads[source % 2];
    return reads;
  }

 private:
  std::array<std::array<std::optional<unsigned>, 2>, 3> held_;
};

// Cycle by cycle: an instruction starts when its reads find free cycles of their banks among the next two (or
// as many as it has reads of one bank).
class Ports {
 public:
  void issue(const BankReads& reads) {
    const std::size_t window = static_cast<std::size_t>(std::max({2, reads[0], reads[1]}));
    ++now_;
    while (!fits(reads, window))
      ++now_;
    for (std::size_t bank = 0; bank < 2; ++bank) {
      int left = reads[bank];
      for (std::size_t cycle = now_; left > 0; ++cycle) {
        if (taken_[bank].insert(cycle).second) --left;
      }
      taken_[bank].erase(taken_[bank].begin(), taken_[bank].lower_bound(now_));
    }
  }
  std::size_t now() const { return now_; }

 private:
  bool fits(const BankReads& reads, std::size_t window) const {
    for (std::size_t bank = 0; bank < 2; ++bank) {
      int free = 0;
      for (std::size_t cycle = now_; cycle < now_ + window; ++cycle)
        free += taken_[bank].contains(cycle) ? 0 : 1;
      if (free < reads[bank]) return false;
    }
    return true;
  }

  std::size_t now_ = 0;
  std::array<std::set<std::size_t>, 2> taken_;
};

}  // namespace

std::span<const MachineWord> ffma_loop(std::span<const MachineWord> code, int major) {
  std::span<const MachineWord> best;
  std::ptrdiff_t most = 0;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!is(code[i], branch_code)) continue;
    const auto target = branch_target(code[i], i, major);
    if (!target || *target >= i) continue;
    const auto loop = code.subspan(*target, i + 1 - *target);
    const auto ffmas =
        std::count_if(loop.begin(), loop.end(), [](const auto& w) { return is(w, ffma_code); });
    if (ffmas > most) {
      most = ffmas;
      best = loop;
    }
  }
  return best;
}

int stall_cycles(std::span<const MachineWord> loop) {
  int cycles = 0;
  for (const MachineWord& word : loop) {
    const int stall = static_cast<int>(bits(word.high, 41, 4));  // kernels/sass/control_field.hpp
    const bool yields = bits(word.high, 45, 1) == 0;
    cycles += std::max(stall, yields ? 2 : 1);
  }
  return cycles;
}

OperandReads operand_reads(std::span<const MachineWord> loop) {
  OperandReads result;
  result.instructions = loop.size();
  ReuseCache cache;
  Ports ports;
  std::size_t first_round_ends = 0;
  BankReads total{};
  // Once to fill the cache, then the round that counts.
  for (int round = 0; round < 2; ++round) {
    for (const MachineWord& word : loop) {
      if (!is(word, ffma_code)) {
        ports.issue({});
        continue;
      }
      const BankReads reads = cache.read(word);
      ports.issue(reads);
      if (round == 0) continue;
      ++result.ffmas;
      for (std::size_t bank = 0; bank < 2; ++bank)
        total[bank] += reads[bank];
    }
    if (round == 0) first_round_ends = ports.now();
  }
  if (result.ffmas == 0) return {};
  const auto ffmas = static_cast<double>(result.ffmas);
  result.busier_bank = std::max(total[0], total[1]) / ffmas;
  result.other_bank = std::min(total[0], total[1]) / ffmas;
  result.cycles = static_cast<double>(ports.now() - first_round_ends) / ffmas;
  return result;
}

}  // namespace tilecast
