#include "kernels/gemm_tile/fetch_code.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace tilecast::gemm_tile {
namespace {

// Counted in the machine code of 2100 launches of 1750 codes (sm_90): least squares of a trip's counts by the
// share of trips that copy and their copies, beside what the thread's tile and the depth of a step ask. A
// trip's median residual is 3 to 5 of 720 to 830 instructions. fetch_code.py does it anew; with the 1000
// launches read since, they change by 0.3 instructions a copy on average.
struct Coefficients {
  double CodeCounts::*count;
  double trip, a, a4, b, b4;  // of a trip that copies, and of each copy of one word and of four
};

constexpr std::array gathered_async{
    Coefficients{&CodeCounts::issued, 35.4, 5.3, 5.3, 7, 7},
    Coefficients{&CodeCounts::integer_mad, 3.7, 0.9, 0.9, 0.9, 0.9},
    Coefficients{&CodeCounts::integer, 16.3, 3, 3, 2.8, 2.8},
    Coefficients{&CodeCounts::memory, 10.9, 1.3, 1.3, 3.3, 3.3},
    Coefficients{&CodeCounts::pipe_cycles, 12.6, 4.3, 4.3, 3.9, 3.9},
    Coefficients{&CodeCounts::queue_cycles, 13.5, 6.5, 6.5, 8.9, 8.9},
    Coefficients{&CodeCounts::chain_cycles, 113, 19.4, 19.4, 37.5, 37.5},
    Coefficients{&CodeCounts::shared_waits, 33.5, 3.9, 3.9, 16.1, 16.1},
    Coefficients{&CodeCounts::queue_waits, 1.3, 2.1, 2.1, 3.2, 3.2},
};
constexpr std::array gathered_through_registers{
    Coefficients{&CodeCounts::issued, 29.9, 5.2, 10.8, 7.9, 7.9},
    Coefficients{&CodeCounts::integer_mad, 2.5, 0.7, 0.8, 1, 1},
    Coefficients{&CodeCounts::integer, 20.2, 1.5, 2.6, 3.1, 3.1},
    Coefficients{&CodeCounts::memory, 4.2, 2.1, 5.4, 2.2, 2.2},
    Coefficients{&CodeCounts::pipe_cycles, 4.4, 4.3, 20.8, 3.1, 3.1},
    Coefficients{&CodeCounts::queue_cycles, 11.6, 8.1, 20.6, 8.2, 8.2},
    Coefficients{&CodeCounts::chain_cycles, 125, 12.5, 32.6, 20.8, 20.8},
    Coefficients{&CodeCounts::shared_waits, 20, 0, 3.2, 1, 1},
    Coefficients{&CodeCounts::queue_waits, -7.2, 3.1, 11.8, 3, 3},
};
constexpr std::array rows_async{
    Coefficients{&CodeCounts::issued, 14.9, 5.1, 5.1, 2.7, 1.4},
    Coefficients{&CodeCounts::integer_mad, 0, 0.6, 0.6, 0.8, 0.8},
    Coefficients{&CodeCounts::integer, 7.7, 3.7, 3.7, 1, 0},
    Coefficients{&CodeCounts::memory, 3, 1, 1, 1, 1},
    Coefficients{&CodeCounts::pipe_cycles, 2.9, 4.1, 4.1, 1.9, 1.2},
    Coefficients{&CodeCounts::queue_cycles, 3, 6, 6, 6, 6},
    Coefficients{&CodeCounts::chain_cycles, -18.5, 18, 18, 9.6, 0.5},
    Coefficients{&CodeCounts::queue_waits, -6.2, 1.7, 1.7, 2.6, 1.4},
};
constexpr std::array rows_through_registers{
    Coefficients{&CodeCounts::issued, 0.9, 5.6, 10.5, 11.7, 14.2},
    Coefficients{&CodeCounts::integer_mad, -1.3, 0.9, 1.6, 0.5, 1.9},
    Coefficients{&CodeCounts::integer, 4.7, 2.4, 1.5, 7, 8.3},
    Coefficients{&CodeCounts::memory, 0, 2, 5, 2, 2},
    Coefficients{&CodeCounts::pipe_cycles, 0, 6, 20.5, 2.6, 8.4},
    Coefficients{&CodeCounts::queue_cycles, 0, 8, 20, 8, 14},
    Coefficients{&CodeCounts::chain_cycles, 16.8, 8.2, 20.3, 41.5, 51.7},
    Coefficients{&CodeCounts::shared_waits, 10.5, 0, 1.8, 3.3, 5.3},
    Coefficients{&CodeCounts::queue_waits, -10.8, 3, 11.7, 3.2, 5.3},
};

CodeCounts counted(std::span<const Coefficients> rows, const StepCopies& copies) {
  CodeCounts step;
  for (const auto& c : rows) {
    const double of_a = copies.a_words > 1 ? c.a4 : c.a, of_b = copies.b_words > 1 ? c.b4 : c.b;
    step.*c.count = std::max(0.0, c.trip + copies.a * of_a + copies.b * of_b);
  }
  step.copies = copies.a + copies.b;
  return step;
}

}  // namespace

CodeCounts step_counts(const StepCopies& copies) {
  if (copies.gathers && copies.async) return counted(gathered_async, copies);
  if (copies.gathers) return counted(gathered_through_registers, copies);
  return copies.async ? counted(rows_async, copies) : counted(rows_through_registers, copies);
}

}  // namespace tilecast::gemm_tile
