#pragma once
// Where the paper of Chang et al. can be read in more than one way, each reading is a named switch. The
// default of every field is what the paper itself does.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilecast::paper {

// 1. N_FMA = latency x cores x 2 counts two operations per fused multiply-add, but is compared with counts of
// FMAs (eq. 6 and 9). `fmas` counts one.
enum class FmaCount { flops, fmas };

// 2. The capacity inequality of the multi-channel method adds bytes (S M') and pixels (W'y W'x). `bytes`
// takes 4 W'y W'x.
enum class MapUnit { pixels, bytes };

// 3. 258 cycles is close to an L2 hit on that die; about 415 is published for its DRAM. `profile` takes the
// latency that the profile has in use, `alternative` the first one that it keeps beside it.
enum class Latency { profile, alternative };

// 4. "The maximum number of registers for each thread is constrained to 128" contradicts two resident blocks
// of 512 threads. `resident` takes what 1,024 resident threads leave to each.
enum class Registers { stated, resident };

// 5. Splitting along channels is rejected because partial sums pass through global memory. `clusters` accepts
// it on GPUs whose thread blocks can reach each other's shared memory (compute capability 9.0 and later).
enum class ChannelSplit { rejected, clusters };

// 6. The lower bounds of P and Q are printed without the ceilings of D1 and D2, so that a chosen P can leave
// D1 a little over the shared memory. `exact` requires D1 and D2 to fit.
enum class LowerBound { printed, exact };

// 7. Which map sizes go with which channel counts in the figures is printed nowhere. `inferred` is the one
// pairing that fits the text, `full_grid` all combinations; they name suites.
enum class Pairing { inferred, full_grid };

// The multi-channel choice. M' >= 64.5 is required of S = 32 and W'x = 128; the paper uses 64.
enum class MTileRounding { down, up };

struct Quirks {
  FmaCount fma_count = FmaCount::flops;
  MapUnit map_unit = MapUnit::pixels;
  Latency latency = Latency::profile;
  Registers registers = Registers::stated;
  ChannelSplit channel_split = ChannelSplit::rejected;
  LowerBound lower_bound = LowerBound::printed;
  Pairing pairing = Pairing::inferred;

  MTileRounding m_tile_rounding = MTileRounding::down;
  std::int64_t segment_bytes = 32;  // S of the choice: "32 or 64 is used"
  std::int64_t wx_tile = 128;       // W'x of the choice, pixels
};

// A switch as the command line has it: --fma-count=flops|fmas.
struct QuirkSwitch {
  std::string_view name;
  std::vector<std::string_view> values;  // the first is the paper's reading
  std::string_view help;
};

std::span<const QuirkSwitch> quirk_switches();

// Sets one switch by name. Throws UsageError with the values that it takes.
void set_quirk(Quirks& quirks, std::string_view name, std::string_view value);

// The suite that `suite` stands for under this pairing: "chang-single" -> "chang-single-grid" with full_grid.
std::string paired_suite(std::string_view suite, const Quirks& quirks);

}  // namespace tilecast::paper
