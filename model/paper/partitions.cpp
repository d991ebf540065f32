#include "model/paper/partitions.hpp"

#include <fmt/format.h>

namespace tilecast::paper {
namespace {

// Whether a count of pieces keeps what one SM holds within shared memory, in the reading of `range`.
std::string misfit(std::string_view letter, std::string_view data_name, std::int64_t count,
                   const Range& range, const Piece& piece, const DeviceConstants& device) {
  if (range.lower && count >= *range.lower) return "";
  const auto sizes = fmt::format("{} = {:.0f} B, shared memory {:.0f} B", data_name, piece.data.value(),
                                 device.shared_per_sm.value());
  if (!range.lower) return fmt::format("no {} fits shared memory ({})", letter, sizes);
  return fmt::format("{} is below its lower bound {} ({})", letter, *range.lower, sizes);
}

Partition single_partition(int method, std::int64_t count, const Range& range, const Piece& piece,
                           const DeviceConstants& device) {
  Partition p;
  p.config = {{"method", method}, {"P", method == 1 ? count : 1}, {"Q", method == 2 ? count : 1}};
  p.reason = method == 1 ? misfit("P", "D1", count, range, piece, device)
                         : misfit("Q", "D2", count, range, piece, device);
  p.feasible = p.reason.empty();
  p.shared = piece.data;
  p.fma_per_sm = piece.fmas;
  p.hides_latency = piece.fmas >= device.n_fma;  // P10
  p.reaches_v_s = static_cast<double>(device.sm_count) * p.shared >= device.v_s;
  return p;
}

Partition single_chosen(const SingleChoice& choice, const DeviceConstants& device) {
  auto p = choice.method == 1 ? single_partition(1, choice.P, choice.P_range, choice.method1, device)
                              : single_partition(2, choice.Q, choice.Q_range, choice.method2, device);
  p.chosen = true;
  return p;
}

Partition block_partition(const Block& block, std::int64_t K, const DeviceConstants& device,
                          const Quirks& quirks) {
  Partition p;
  p.config = {{"S_bytes", block.S}, {"M_tile", block.M_tile}, {"Wx_tile", block.Wx_tile}};
  p.shared = block_data(block, K, quirks);
  p.feasible = p.shared <= block_capacity(device);  // P13
  if (!p.feasible) {
    p.reason = fmt::format("the data set, {:.0f} B, exceeds half of shared memory, {:.0f} B",
                           p.shared.value(), block_capacity(device).value());
  }
  p.fma_per_sm = block_fmas(block);
  // P12 with the paper's rounding of the bound: M' = 64 counts as reaching 64.5.
  p.hides_latency = block.M_tile >= m_tile_needed(device, quirks, block.S, block.Wx_tile);
  const Bytes loaded{block_data(block, K, Quirks{.map_unit = MapUnit::bytes})};
  p.reaches_v_s = static_cast<double>(device.sm_count) * loaded >= device.v_s;
  return p;
}

bool same(const Block& a, const Block& b) {
  return a.S == b.S && a.M_tile == b.M_tile && a.Wx_tile == b.Wx_tile;
}

}  // namespace

std::string_view family_of(const ConvShape& shape) {
  return shape.C == 1 ? "chang_single" : "chang_multi";
}

std::optional<std::string> refusal(const ConvShape& shape) {
  if (shape.N != 1) return fmt::format("the paper's model has one image, not N = {}", shape.N);
  if (shape.stride != 1) return fmt::format("the paper's model has stride 1, not {}", shape.stride);
  if (shape.pad != 0) return fmt::format("the paper's model has no padding, not {}", shape.pad);
  if (shape.dilation != 1)
    return fmt::format("the paper's model has a dilation of 1, not {}", shape.dilation);
  return std::nullopt;
}

Partition chosen_partition(const ConvShape& shape, const DeviceConstants& device, const Quirks& quirks) {
  if (shape.C == 1) return single_chosen(choose_single(shape, device, quirks), device);
  auto p = block_partition(choose_block(shape, device, quirks), shape.K, device, quirks);
  p.chosen = true;
  return p;
}

std::vector<Partition> all_partitions(const ConvShape& shape, const DeviceConstants& device,
                                      const Quirks& quirks) {
  std::vector<Partition> rows;
  if (shape.C == 1) {
    const auto choice = choose_single(shape, device, quirks);
    rows.reserve(static_cast<std::size_t>(shape.H + shape.M));
    for (std::int64_t P = 1; P <= shape.H; ++P) {
      rows.push_back(single_partition(1, P, choice.P_range, method1_piece(shape, device, P), device));
      rows.back().chosen = choice.method == 1 && choice.P == P;
    }
    for (std::int64_t Q = 1; Q <= shape.M; ++Q) {
      rows.push_back(single_partition(2, Q, choice.Q_range, method2_piece(shape, device, Q), device));
      rows.back().chosen = choice.method == 2 && choice.Q == Q;
    }
    return rows;
  }
  const auto chosen = choose_block(shape, device, quirks);
  const auto blocks = all_blocks(shape, quirks);
  rows.reserve(blocks.size());
  for (const auto& block : blocks) {
    rows.push_back(block_partition(block, shape.K, device, quirks));
    rows.back().chosen = same(block, chosen);
  }
  return rows;
}

}  // namespace tilecast::paper
