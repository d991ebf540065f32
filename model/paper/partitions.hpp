#pragma once
// The paper's answer for one layer: every way to divide it, feasible or not and why, and the chosen one.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/paper/device_constants.hpp"
#include "model/paper/multi_channel.hpp"
#include "model/paper/single_channel.hpp"
#include "model/workload/config.hpp"
#include "model/workload/conv_shape.hpp"

namespace tilecast::paper {

struct Partition {
  Config config;  // method, P, Q; or S_bytes, M_tile, Wx_tile
  bool feasible = false;
  std::string reason;  // why not; empty when feasible
  bool chosen = false;
  Bytes shared{};              // data that one SM holds: D1, D2, or the data set of P13
  double fma_per_sm = 0;       // that it computes on them
  bool hides_latency = false;  // enough to hide one global-memory latency: prefetch; else volume (P10)
  bool reaches_v_s = false;    // what all SMs load at once is at least V_s: what the volume method needs
};

// "chang_single" for one channel, else "chang_multi".
std::string_view family_of(const ConvShape& shape);

// Why the paper has no answer (stride, padding, dilation, several images); nullopt when it has one.
std::optional<std::string> refusal(const ConvShape& shape);

// Both require that refusal() is empty.
Partition chosen_partition(const ConvShape& shape, const DeviceConstants& device, const Quirks& quirks = {});
// Single channel: P = 1..Wy of method 1, then Q = 1..M of method 2. Several: all_blocks(). Exactly one is
// chosen.
std::vector<Partition> all_partitions(const ConvShape& shape, const DeviceConstants& device,
                                      const Quirks& quirks = {});

}  // namespace tilecast::paper
