#include "kernels/sass/stored.hpp"

#include <algorithm>
#include <cstdint>

#include "model/units/hardware_sizes.hpp"

namespace tilecast::sass {
namespace {

// Of one store's bytes in one line.
int packets(ByteRange of_line) {
  const auto sectors = (of_line.end + sector_bytes - 1) / sector_bytes - of_line.begin / sector_bytes;
  const bool masks = of_line.begin % sector_bytes != 0 || of_line.end % sector_bytes != 0;
  return static_cast<int>(sectors) + (masks ? 1 : 0);
}

// That one store with another right behind its last byte has fewer than both.
int saved_packets(const ByteRange& first, const ByteRange& second) {
  const auto between = first.end;
  if (second.begin != between || between % line_bytes == 0) return 0;
  const auto line = between / line_bytes * line_bytes;
  const auto begin = std::max(first.begin, line), end = std::min(second.end, line + line_bytes);
  return packets({begin, between}) + packets({between, end}) - packets({begin, end});
}

}  // namespace

std::vector<ByteRange> pieces_of(std::vector<ByteRange> ranges) {
  std::ranges::sort(ranges, {}, &ByteRange::begin);
  std::vector<ByteRange> pieces;
  for (const auto& range : ranges) {
    if (pieces.empty() || range.begin > pieces.back().end)
      pieces.push_back(range);
    else
      pieces.back().end = std::max(pieces.back().end, range.end);
  }
  return pieces;
}

double total_length(const std::vector<ByteRange>& pieces) {
  double bytes = 0;
  for (const auto& piece : pieces)
    bytes += static_cast<double>(piece.end - piece.begin);
  return bytes;
}

std::optional<double> mean_length(const std::vector<ByteRange>& pieces) {
  if (pieces.empty()) return std::nullopt;
  return total_length(pieces) / static_cast<double>(pieces.size());
}

std::optional<double> mean_run(const std::vector<ByteRange>& stored, const std::vector<std::size_t>& ends) {
  std::vector<std::vector<ByteRange>> at_once;  // of all warps, by the run's number
  std::size_t begin = 0;
  for (const auto end : ends) {
    std::size_t number = 0;
    for (auto at = begin; at < end; ++at) {
      if (at > begin && stored[at].begin == at_once[number - 1].back().end) {
        at_once[number - 1].back().end = stored[at].end;
        continue;
      }
      if (number == at_once.size()) at_once.emplace_back();
      at_once[number++].push_back(stored[at]);
    }
    begin = end;
  }
  std::vector<ByteRange> runs;
  for (auto& ranges : at_once) {
    const auto pieces = pieces_of(std::move(ranges));
    runs.insert(runs.end(), pieces.begin(), pieces.end());
  }
  return mean_length(runs);
}

double share_stored_again(const std::vector<ByteRange>& pieces, const Counts& counts,
                          const Program& program) {
  double by_store = 0, local = 0, distinct = 0;
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    const auto& instruction = program.instructions[i];
    const auto& count = counts.instructions[i];
    if (instruction.op_class == OpClass::global_store) by_store += count.sectors;
    if (instruction.op_class == OpClass::local_store)  // S16. A line for each word.
      local += count.executed * sectors_per_line * std::max(1, instruction.width_bits / 32);
  }
  std::uint64_t next = 0;  // the first sector behind the pieces so far
  for (const auto& piece : pieces) {
    const auto first = std::max(next, piece.begin / sector_bytes);
    next = (piece.end + sector_bytes - 1) / sector_bytes;
    distinct += static_cast<double>(next - first);
  }
  const double again = std::max(0.0, by_store - distinct) + local;
  return again > 0 ? again / (by_store + local) : 0;
}

JoinedLines joined_lines(const std::vector<ByteRange>& stored, const std::vector<std::size_t>& ends,
                         std::size_t instructions) {
  struct Mean {
    double sum = 0, pairs = 0;
    void add(const ByteRange& before, const ByteRange& own) {
      sum += saved_packets(before, own);
      ++pairs;
    }
    double value() const { return pairs > 0 ? sum / pairs : 0; }
  };
  const auto instruction = [](const ByteRange& range) { return static_cast<std::size_t>(range.store); };
  std::vector<Mean> behind(instructions), around(instructions);
  std::vector<std::vector<ByteRange>> before(instructions), own(instructions);  // by instruction
  std::vector<ByteRange> of_first, of_last;
  std::size_t begin = 0;
  for (const auto end : ends) {
    of_last.clear();
    for (; begin < end; ++begin) {
      const auto& range = stored[begin];
      if (range.store < 0) continue;
      auto& executions = own[instruction(range)];
      const auto& of_warp_before = before[instruction(range)];
      if (executions.size() < of_warp_before.size())
        behind[instruction(range)].add(of_warp_before[executions.size()], range);
      executions.push_back(range);
      of_last.push_back(range);
    }
    if (of_first.empty()) of_first = of_last;
    std::swap(before, own);
    for (auto& ranges : own)
      ranges.clear();
  }
  if (ends.size() > 1) {
    for (std::size_t i = 1; i < of_first.size() && i <= of_last.size(); ++i)
      around[instruction(of_first[i])].add(of_last[i - 1], of_first[i]);
  }
  JoinedLines joined;
  for (std::size_t i = 0; i < instructions; ++i) {
    joined.behind.push_back(behind[i].value());
    joined.around.push_back(around[i].value());
  }
  return joined;
}

std::vector<double> joined_after(const std::vector<ByteRange>& stored, const std::vector<std::size_t>& ends,
                                 std::size_t instructions) {
  std::vector<double> saved(instructions);
  const auto joins = [](const ByteRange& range) {
    return range.store >= 0 && range.end - range.begin <= line_bytes;
  };
  std::size_t begin = 0;
  for (const auto end : ends) {
    for (auto at = begin + 1; at < end; ++at) {
      const auto &before = stored[at - 1], &own = stored[at];
      if (joins(before) && joins(own))
        saved[static_cast<std::size_t>(own.store)] += saved_packets(before, own);
    }
    begin = end;
  }
  return saved;
}

}  // namespace tilecast::sass
