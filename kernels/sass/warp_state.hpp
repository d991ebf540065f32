#pragma once
// What a warp's registers hold while its scalar control flow is calculated: numbers that are known, lane by
// lane, and numbers that are not (what was loaded from memory, all floating-point results).

#include <array>
#include <bit>
#include <cstdint>
#include <map>

#include "model/units/hardware_sizes.hpp"

namespace tilecast::sass {

constexpr int warp_lanes = threads_per_warp;
// The upper half of generic addresses of shared memory (SR_SWINHI): made up, like the tensors' addresses. In
// the lower half, bits 24 to 31 are the block's rank in its cluster (sm_90; from what the compiler makes of
// mapa).
constexpr std::uint32_t shared_window_high = 0x7e00;
constexpr int cluster_rank_shift = 24;
using LaneMask = std::uint32_t;
constexpr LaneMask all_lanes = 0xffffffffu;

template <int lanes>
struct Numbers {
  alignas(32) std::array<std::uint32_t, lanes> value{};
  LaneMask known = lanes == warp_lanes ? all_lanes : 1u;  // bit i: value[i] is known
  // The instruction whose result is not known; any number where all are.
  int unknown_since = 0;
  bool equal = false;      // all values are known, and one and the same
  std::uint32_t bits = 0;  // known in every lane of a number that is not: compilers keep predicates in them
};

struct Flags {
  LaneMask value = 0, known = all_lanes;
  int unknown_since = 0;
};

struct WarpState {
  std::array<Numbers<warp_lanes>, 256> vector;
  std::array<Numbers<1>, 256> uniform;
  std::array<Flags, 8> predicates, uniform_predicates;  // of a uniform one, bit 0 counts
  // Threads that convergence barrier b waits for, as each lane knows it.
  std::array<std::array<LaneMask, warp_lanes>, 16> barriers{};
  // Words of local memory by offset, spilled registers mostly.
  std::map<std::uint32_t, Numbers<warp_lanes>> local;

  // Identity of the warp.
  std::array<std::uint32_t, 3> block{};                           // blockIdx
  std::uint32_t rank = 0;                                         // of the block in its cluster
  std::array<std::array<std::uint32_t, warp_lanes>, 3> thread{};  // threadIdx
  LaneMask live = all_lanes;                                      // not yet exited
  bool one_for_all = false;  // an operation of one lane is to give the result of all

  WarpState() {
    predicates[7].value = all_lanes;
    uniform_predicates[7].value = all_lanes;
  }
};

}  // namespace tilecast::sass
