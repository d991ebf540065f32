// What the results of shared loads take from FMAs, where these leave holes of several kinds and where they do
// not, and which pipe integer instructions run in. Compiled loops (load_mix.cu: 256 FFMA a round) with other
// operands, results and instructions, two questions in one table:
//   cycles: of a scheduler for one warp's round; lost: issue slots that a load costs beside its own.
// CSV to standard output.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernels/runtime/machine_code.hpp"
#include "microbench/loop_bench.hpp"
#include "microbench/operand_patch.hpp"
#include "microbench/operand_reads.hpp"
#include "microbench/probes/lane_offsets.hpp"
#include "model/support/statistics.hpp"

namespace tilecast {
namespace {

constexpr int fmas = 256, schedulers = 4;
constexpr std::uint64_t control = ~0ULL << 41, reuse_bits = 7ULL << 58;

bool is_ffma(const MachineWord& word) {
  return (word.low & 0xfff) == 0x223;
}

enum class Other { none, viadd, iadd3, imad, imad_hi };

MachineWord other(const MachineWord& word, Other kind) {
  const std::uint64_t d = word.low >> 16 & 0xff, kept = word.high & control & ~reuse_bits;
  switch (kind) {
    case Other::viadd:
      return {0x7836ULL | d << 16 | d << 24 | 77ULL << 32, kept};
    case Other::iadd3:
      return {0x7810ULL | d << 16 | d << 24 | 5ULL << 32, kept | 0x07ffe0ffULL};
    case Other::imad:
      return {0x7224ULL | d << 16 | d << 24 | d << 32, kept | 0x078e0200ULL | 0xffULL};
    case Other::imad_hi:
      return {0x7227ULL | d << 16 | d << 24 | d << 32, kept | 0x078e0200ULL | 0xffULL};
    case Other::none:
      break;
  }
  return word;
}

// Of so many FFMAs in a row some write no register, side by side or apart; `light` alone: none.
struct Pattern {
  std::string name;
  int free = 0, of = 16;  // so many of so many
  bool apart = true;
};

std::vector<MachineWord> patched(std::span<const MachineWord> loop, const Pattern& pattern) {
  constexpr std::uint64_t none = 255;
  std::vector<MachineWord> words(loop.begin(), loop.end());
  std::size_t i = 0;
  for (auto& word : words) {
    if (!is_ffma(word)) continue;
    const auto at = static_cast<int>(i) % pattern.of;
    const int each = pattern.free > 0 ? pattern.of / pattern.free : 0;
    const bool frees = pattern.apart ? each > 0 && at % each == each - 1 : at < pattern.free;
    if (frees) word.low |= none << 16;
    ++i;
  }
  return words;
}

struct Load {
  std::string name;
  int width;
  unsigned different;
};

class Bench {
 public:
  explicit Bench(Gpu& gpu)
      : gpu_(gpu), context_{gpu_, true, known_}, bench_(context_), offsets_(sizeof(LaneOffsets)) {
    bench_.input(offsets_.address());
  }

  // Cycles of a scheduler for one warp's round.
  double cycles(const Load& load, int spacing, int warps, auto&& change) {
    const Specialisation code{
        "probes/load_mix.cu", "load_mix", {{"WIDTH", load.width}, {"SPACING", spacing}, {"FMAS", fmas}}};
    auto& known = compiled_.try_emplace({load.width, spacing}).first->second;
    if (known.cubin.empty()) known = compile_probe(context_, code);
    CompiledCode compiled = known;
    const auto words = machine_words(compiled.cubin);
    const auto loop = ffma_loop(words, gpu_.info().architecture.major);
    std::vector<MachineWord> changed(loop.begin(), loop.end());
    if (spacing > 0) changed = with_spread_loads(changed);
    changed = change(changed);
    compiled.cubin = replace_code(compiled.cubin, loop, changed);
    const ProbeKernel kernel = load_compiled(context_, code, compiled);
    const auto lanes = shared_by(static_cast<unsigned>(load.width), load.different, true);
    offsets_.upload(lanes.data(), sizeof lanes);
    return schedulers / median(bench_.rates(kernel, warps, 20, 120, 3));
  }

 private:
  Gpu& gpu_;
  DeviceProfile known_;
  ProbeContext context_;
  LoopBench bench_;
  DeviceBuffer offsets_;
  std::map<std::pair<int, int>, CompiledCode> compiled_;  // by width and spacing
};

void returns(Bench& bench) {
  const std::vector<Pattern> patterns{{"light"},
                                      {"light_free1", 1},
                                      {"light_free2", 2},
                                      {"light_free2_together", 2, 16, false},
                                      {"light_free4", 4},
                                      {"light_free16_of_256", 16, 256, false},
                                      {"light_free32_of_256", 32, 256, false},
                                      {"light_free48_of_256", 48, 256, false},
                                      {"light_free24_of_128", 24, 128, false},
                                      {"light_free12_of_64", 12, 64, false},
                                      {"light_free6_of_32", 6, 32, false},
                                      {"light_none_written", 16}};
  const std::vector<Load> loads{
      {"narrow", 4, 32}, {"pair", 8, 1}, {"wide_same", 16, 1}, {"wide_few", 16, 8}, {"wide_apart", 16, 32}};
  for (const int warps : {4, 8}) {
    for (const auto& pattern : patterns) {
      const auto change = [&](const std::vector<MachineWord>& words) { return patched(words, pattern); };
      const double without = bench.cycles(loads[2], 0, warps, change);
      std::printf("%s,none,0,%d,%.2f,0\n", pattern.name.c_str(), warps, without);
      for (const auto& load : loads) {
        for (const int spacing : {8, 16, 32, 64}) {
          const double with = bench.cycles(load, spacing, warps, change);
          std::printf("%s,%s,%d,%d,%.2f,%.3f\n", pattern.name.c_str(), load.name.c_str(), spacing, warps,
                      with, (with - without) * spacing / fmas - 1);
        }
      }
      std::fflush(stdout);
    }
  }
}

void pipes(Bench& bench) {
  struct Mix {
    const char* name;
    std::array<Other, 4> turn;
  };
  using enum Other;
  const std::vector<Mix> mixes{{"ffma", {none, none, none, none}},
                               {"viadd", {viadd, viadd, viadd, viadd}},
                               {"iadd3", {iadd3, iadd3, iadd3, iadd3}},
                               {"imad", {imad, imad, imad, imad}},
                               {"imad_hi", {imad_hi, imad_hi, imad_hi, imad_hi}},
                               {"viadd_ffma", {viadd, none, viadd, none}},
                               {"viadd_iadd3", {viadd, iadd3, viadd, iadd3}},
                               {"viadd_imad", {viadd, imad, viadd, imad}},
                               {"imad_iadd3", {imad, iadd3, imad, iadd3}},
                               {"imad_ffma", {imad, none, imad, none}},
                               {"viadd_3_ffma", {viadd, none, none, none}},
                               {"imad_hi_3_ffma", {imad_hi, none, none, none}},
                               {"imad_hi_ffma", {imad_hi, none, imad_hi, none}},
                               {"imad_hi_2_viadd_ffma", {imad_hi, viadd, none, none}}};
  for (const int warps : {4, 8, 16}) {
    for (const auto& mix : mixes) {
      const auto change = [&](std::vector<MachineWord> words) {
        std::size_t i = 0;
        for (auto& word : words) {
          if (is_ffma(word)) word = other(word, mix.turn[i++ % 4]);
        }
        return words;
      };
      std::printf("%s,none,0,%d,%.2f,0\n", mix.name, warps, bench.cycles({"", 4, 32}, 0, warps, change));
    }
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace tilecast

int main() {
  try {
    tilecast::Gpu gpu;
    tilecast::Bench bench(gpu);
    std::printf("ffmas,loads,spacing,warps,cycles_a_round,slots_lost_a_load\n");
    tilecast::pipes(bench);
    tilecast::returns(bench);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return 0;
}
