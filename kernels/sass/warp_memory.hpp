#pragma once
// What one warp does to memory: what its accesses cost, and what is noted of them for its block.

#include <algorithm>
#include <bit>
#include <iterator>
#include <vector>

#include "kernels/sass/access_costs.hpp"
#include "kernels/sass/fetch.hpp"
#include "kernels/sass/warp_run.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::sass {

inline CopyKind copy_kind(const Instruction& code) {
  if (!code.has("BYPASS")) return CopyKind::through_l1;
  return code.has("ZFILL") ? CopyKind::past_l1_with_zeros : CopyKind::past_l1;
}

inline bool touches_shared(const Instruction& code) {
  return code.op_class == OpClass::shared_load || code.op_class == OpClass::shared_store ||
         code.opcode == "ATOMS";
}

class WarpMemory {
 public:
  // All must outlive it; `state` is the warp's.
  WarpMemory(const PreparedProgram& prepared, int warp, RunCounts& counts, WarpState& state)
      : prepared_(prepared),
        counts_(counts),
        state_(state),
        warp_(warp),
        caches_(static_cast<std::size_t>(std::max(1, prepared.accesses))) {}

  // The warp has passed a barrier of its block.
  void pass_barrier() { ++epoch_; }

  // Where one execution of an instruction accesses memory.
  struct Access {
    bool in_shared = false, in_global = false;
    LaneMask lanes = 0, present = 0;  // present: those that read, of an async copy
    Addresses shared, global;
  };

  void access(const MicroOp& op, InstructionCount& count, LaneMask lanes) {
    std::uint64_t shared_first = 0;
    const auto* base = shared_base(op, lanes, shared_first);
    if (base) {
      if (const auto* cost =
              caches_[static_cast<std::size_t>(op.access)].find_shared(base->value, shared_first))
        return add_cost(count, *cost);
    }
    if (!find_access(op, state_, lanes, access_)) {
      count.unknown_addresses += 1;
      return;
    }
    const auto* cost = perform(op, count, access_, epoch_);
    if (base && cost)
      caches_[static_cast<std::size_t>(op.access)].keep_shared(base->value, shared_first, *cost);
  }

  // By the registers of `state`; false: an address is not known.
  static bool find_access(const MicroOp& op, const WarpState& state, LaneMask lanes, Access& access) {
    const auto& code = *op.code;
    const Operand* places[2] = {nullptr, nullptr};  // in shared and in global memory
    const bool copy = code.op_class == OpClass::async_copy;
    for (const auto& operand : code.sources) {
      if (operand.kind != OperandKind::memory) continue;
      // The first address of an asynchronous copy is in shared memory, the second in global memory.
      const bool shared = copy ? places[0] == nullptr : touches_shared(code);
      (shared ? places[0] : places[1]) = &operand;
    }
    access.in_shared = places[0] != nullptr;
    access.in_global = places[1] != nullptr;
    access.lanes = lanes;
    access.present = copy ? lanes & ~zeroed(op, state) : lanes;
    return (!places[0] || address_of(*places[0], state, lanes, access.shared)) &&
           (!places[1] || address_of(*places[1], state, lanes, access.global));
  }

  // What it costs and leaves noted; nullptr: the cost is not one that comes again.
  const AccessCost* perform(const MicroOp& op, InstructionCount& count, const Access& access, int epoch) {
    const auto& code = *op.code;
    const auto lanes = access.lanes;
    if (code.opcode == "LD" && in_shared_window(access.global, lanes)) {
      auto offsets = access.global;
      const auto first = offsets[static_cast<std::size_t>(std::countr_zero(lanes))];
      count.cluster += 1;
      count.cluster_own += (first & 0xffffffffu) >> cluster_rank_shift == state_.rank ? 1 : 0;
      for (auto& address : offsets)
        address &= (std::uint64_t{1} << cluster_rank_shift) - 1;
      count.wavefronts += shared_wavefronts(offsets, lanes, code.width_bits / 8);
      return nullptr;
    }
    if (counts_.stored && code.op_class == OpClass::global_store)
      note_stored(op.instruction, access.global, lanes, code.width_bits / 8);
    if (counts_.loads && takes_lines(code))
      note_load(op.instruction, epoch, access.global, access.present, code.width_bits / 8);
    const auto& cost = cost_of(op, access);
    add_cost(count, cost);
    if (code.op_class == OpClass::global_store && cost.masks > 0 && joins(access.global, lanes))
      count.joined_packets += cost.cost.sectors + cost.masks;
    return &cost;
  }

  // Local memory has a line of 128 bytes for each word of a warp, beside the tensors.
  void note_local(const MicroOp& op, LaneMask lanes) {
    const auto& sources = op.code->sources;
    const auto place = std::ranges::find(sources, OperandKind::memory, &Operand::kind);
    if (!counts_.loads || !counts_.loads->takes(epoch_) || place == sources.end() ||
        !address_of(*place, state_, lanes, access_.global))
      return;
    constexpr std::uint64_t beside = std::uint64_t{1} << 52, sectors_of_word = 4;
    const auto offset =
        static_cast<std::uint32_t>(access_.global[static_cast<std::size_t>(std::countr_zero(lanes))]);
    auto& log = *counts_.loads;
    const auto first = log.sectors.size();
    const auto word = beside | static_cast<std::uint64_t>(warp_) << 32 | offset / 4;
    const auto words = static_cast<std::uint64_t>(std::max(1, op.code->width_bits / 32));
    for (std::uint64_t s = 0; s < sectors_of_word * words; ++s)
      log.sectors.push_back(sectors_of_word * word + s);
    log.accesses.push_back({op.instruction, epoch_, static_cast<std::uint32_t>(first),
                            static_cast<std::uint32_t>(log.sectors.size() - first)});
  }

  const AccessCost& cost_of(const MicroOp& op, const Access& access) {
    key_.lanes = access.lanes;
    key_.present = access.present;
    if (access.in_shared)
      key_.shared.set(access.shared, access.lanes, op.past_l1 ? line_period : shared_period);
    if (access.in_global) key_.global.set(access.global, access.lanes, line_period);
    auto& cache = caches_[static_cast<std::size_t>(op.access)];
    const auto* known = cache.find(key_, access.in_shared, access.in_global);
    return known ? *known
                 : cache.keep(key_, access_cost(*op.code, access.in_shared, access.in_global, access.shared,
                                                access.global, access.lanes, access.present));
  }

  static void add_cost(InstructionCount& count, const AccessCost& cost) {
    count.wavefronts += cost.cost.wavefronts;
    count.written += cost.cost.written;
    count.by_line += cost.cost.by_line;
    count.sectors += cost.cost.sectors;
    count.masks += cost.masks;
    count.lone_sectors += cost.lone_sectors;
    count.lines += cost.lines;
  }

  // Whether the loads of this instruction are still logged.
  bool logs(const MicroOp& op) const {
    return counts_.loads && counts_.loads->takes(epoch_) && takes_lines(*op.code);
  }

  int epoch() const { return epoch_; }
  int warp() const { return warp_; }

  // What a store to shared memory leaves there, or a load finds; true: the load's registers have it.
  bool use_words(const MicroOp& op, LaneMask lanes) {
    const auto& code = *op.code;
    const bool load = code.op_class == OpClass::shared_load;
    const auto at = static_cast<std::size_t>(op.instruction);
    if (load ? !prepared_.slice.table_loads[at]
             : code.op_class != OpClass::shared_store && code.op_class != OpClass::async_copy)
      return false;
    const auto place = std::ranges::find(code.sources, OperandKind::memory, &Operand::kind);
    Addresses addresses;
    if (place == code.sources.end() || !address_of(*place, state_, lanes, addresses)) {
      if (!load) counts_.words->lose_all();
      return false;
    }
    const int words = std::max(1, code.width_bits / 32);
    for (int word = 0; word < words; ++word) {
      if (load) {
        if (op.destination) read_word(op, addresses, lanes, word, epoch_, state_);
      } else if (prepared_.slice.table_stores[at]) {
        write_word(op, addresses, lanes, word);
      } else {
        lose_word(addresses, lanes, word, epoch_);
      }
    }
    return load;
  }

  static std::uint32_t word_at(const Addresses& addresses, std::size_t lane, int word) {
    return static_cast<std::uint32_t>(addresses[lane]) / word_bytes * word_bytes +
           static_cast<std::uint32_t>(word * word_bytes);
  }

  // One of the words that a load finds, as they are known in this epoch.
  void read_word(const MicroOp& op, const Addresses& addresses, LaneMask lanes, int word, int epoch,
                 WarpState& state) const {
    auto& to = state.vector[static_cast<std::size_t>(*op.destination + word)];
    std::optional<std::uint32_t> address, value;
    for (std::size_t i = 0; i < warp_lanes; ++i) {
      if (!(lanes >> i & 1)) continue;
      if (const auto own = word_at(addresses, i, word); address != own) {
        address = own;
        value = counts_.words->read(own, warp_, epoch);
      }
      to.value[i] = value.value_or(0);
      to.known = value ? to.known | LaneMask{1} << i : to.known & ~(LaneMask{1} << i);
    }
    to.unknown_since = op.instruction;
    to.equal = false;
    to.bits = 0;
  }

  void lose_word(const Addresses& addresses, LaneMask lanes, int word, int epoch) {
    for (std::size_t i = 0; i < warp_lanes; ++i) {
      if (lanes >> i & 1) counts_.words->lose(word_at(addresses, i, word), warp_, epoch);
    }
  }

 private:
  // Where the register is that makes a shared memory access's addresses differ; nullptr: elsewhere too.
  const Numbers<warp_lanes>* shared_base(const MicroOp& op, LaneMask lanes, std::uint64_t& first) const {
    if ((op.op_class != OpClass::shared_load && op.op_class != OpClass::shared_store) || lanes != all_lanes)
      return nullptr;
    const auto& sources = op.code->sources;
    const auto place = std::ranges::find(sources, OperandKind::memory, &Operand::kind);
    if (place == sources.end() || !place->base || *place->base == zero_register || place->base_bits != 32 ||
        place->scale != 1)
      return nullptr;
    const auto& base = state_.vector[static_cast<std::size_t>(*place->base)];
    if (base.known != all_lanes) return nullptr;
    first = base.value[0] + static_cast<std::uint64_t>(place->value);
    if (place->uniform_base && *place->uniform_base != zero_register) {
      const auto& uniform = state_.uniform[static_cast<std::size_t>(*place->uniform_base)];
      if (place->uniform_bits != 32 || !(uniform.known & 1)) return nullptr;
      first += uniform.value[0];
    }
    return &base;
  }

  // Lanes for which an async copy only writes zeros: those without its last operand, where it has one.
  static LaneMask zeroed(const MicroOp& op, const WarpState& state) {
    if (op.source_count == 0) return 0;
    const auto last = static_cast<std::size_t>(op.source_count - 1);
    if (op.code->sources[last].kind != OperandKind::predicate) return 0;
    const auto flags = fetch_flags(op.sources[last], state, op.instruction);
    return flags.known & ~flags.value;
  }

  static AccessCost access_cost(const Instruction& code, bool in_shared, bool in_global,
                                const Addresses& shared, const Addresses& global, LaneMask lanes,
                                LaneMask present) {
    const int bytes = code.width_bits / 8;
    if (code.op_class == OpClass::async_copy)
      return {.cost = async_copy_cost(shared, global, lanes, present, bytes, copy_kind(code)),
              .lines = touched_lines(global, present, bytes)};
    // L1 has its lines in the same banks.
    const bool loads = code.op_class == OpClass::global_load;
    const bool stores = code.op_class == OpClass::global_store;
    return {.cost = {.wavefronts = in_shared ? shared_wavefronts(shared, lanes, bytes)
                                   : loads   ? shared_wavefronts(global, lanes, bytes)
                                             : 0,
                     .sectors = in_global ? touched_sectors(global, lanes, bytes) : 0},
            .masks = stores ? partial_lines(global, lanes, bytes) : 0,
            .lone_sectors = stores ? lone_sectors(global, lanes, bytes) : 0,
            .lines = loads ? touched_lines(global, lanes, bytes) : 0};
  }

  // S6. Whether the warp's store before, which joined none itself, went to the same sectors with each lane.
  bool joins(const Addresses& addresses, LaneMask lanes) {
    Addresses sectors{};
    for (std::size_t i = 0; i < warp_lanes; ++i)
      sectors[i] = lanes >> i & 1 ? addresses[i] / sector_bytes : 0;
    const bool same = alone_ && lanes == stored_lanes_ && sectors == stored_sectors_;
    alone_ = !same;
    stored_lanes_ = lanes;
    stored_sectors_ = sectors;
    return same;
  }

  // Of L1; stores, too.
  static bool takes_lines(const Instruction& code) {
    return code.op_class == OpClass::global_load || code.op_class == OpClass::global_store ||
           (code.op_class == OpClass::async_copy && copy_kind(code) == CopyKind::through_l1);
  }

  void note_load(int instruction, int epoch, const Addresses& addresses, LaneMask lanes, int bytes) {
    auto& log = *counts_.loads;
    if (!log.takes(epoch)) return;
    const auto first = log.sectors.size();
    for (std::size_t i = 0; i < warp_lanes; ++i) {
      if (!(lanes >> i & 1)) continue;
      const auto last = (addresses[i] + static_cast<std::uint64_t>(bytes) - 1) / sector_bytes;
      for (auto sector = addresses[i] / sector_bytes; sector <= last; ++sector) {
        const auto own = log.sectors.begin() + static_cast<std::ptrdiff_t>(first);
        if (std::find(std::make_reverse_iterator(log.sectors.end()), std::make_reverse_iterator(own),
                      sector) == std::make_reverse_iterator(own))
          log.sectors.push_back(sector);
      }
    }
    log.accesses.push_back({instruction, epoch, static_cast<std::uint32_t>(first),
                            static_cast<std::uint32_t>(log.sectors.size() - first)});
  }

  // Neighbouring lanes' neighbouring bytes as one range.
  void note_stored(int instruction, const Addresses& addresses, LaneMask lanes, int bytes) {
    auto& stored = *counts_.stored;
    const auto before = stored.size();
    for (std::size_t i = 0; i < warp_lanes; ++i) {
      if (!(lanes >> i & 1)) continue;
      if (stored.size() > before && stored.back().end == addresses[i]) {
        stored.back().end += static_cast<std::uint64_t>(bytes);
      } else {
        stored.push_back({addresses[i], addresses[i] + static_cast<std::uint64_t>(bytes)});
      }
    }
    if (stored.size() == before + 1) {
      stored.back().store = instruction;
    } else {
      join(stored, before);
    }
  }

  // Lanes need not lie in their order.
  static void join(std::vector<ByteRange>& ranges, std::size_t first) {
    const auto begin = ranges.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(begin, ranges.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    auto last = begin;
    for (auto at = begin; at != ranges.end(); ++at) {
      if (at == begin) continue;
      if (at->begin > last->end)
        *++last = *at;
      else
        last->end = std::max(last->end, at->end);
    }
    if (begin != ranges.end()) ranges.erase(last + 1, ranges.end());
  }

  // Generic addresses of shared memory, this block's or another's of its cluster.
  static bool in_shared_window(const Addresses& addresses, LaneMask lanes) {
    for (std::size_t i = 0; i < warp_lanes; ++i) {
      if ((lanes >> i & 1) && addresses[i] >> 32 != shared_window_high) return false;
    }
    return true;
  }

  static bool address_of(const Operand& operand, const WarpState& state, LaneMask lanes,
                         Addresses& addresses) {
    LaneMask known = all_lanes;
    addresses.fill(static_cast<std::uint64_t>(operand.value));
    const auto add_vector = [&](int index, int bits, std::uint64_t scale) {
      if (index == zero_register) return;
      const auto& low = state.vector[static_cast<std::size_t>(index)];
      known &= low.known;
      for (std::size_t i = 0; i < warp_lanes; ++i)
        addresses[i] += scale * low.value[i];
      if (bits != 64) return;
      const auto& high = state.vector[static_cast<std::size_t>(index) + 1];
      known &= high.known;
      for (std::size_t i = 0; i < warp_lanes; ++i)
        addresses[i] += std::uint64_t{high.value[i]} << 32;
    };
    if (operand.base) add_vector(*operand.base, operand.base_bits, static_cast<std::uint64_t>(operand.scale));
    if (operand.uniform_base && *operand.uniform_base != zero_register) {
      const auto index = static_cast<std::size_t>(*operand.uniform_base);
      std::uint64_t value = state.uniform[index].value[0];
      if (!(state.uniform[index].known & 1)) known = 0;
      if (operand.uniform_bits == 64) {
        value |= std::uint64_t{state.uniform[index + 1].value[0]} << 32;
        if (!(state.uniform[index + 1].known & 1)) known = 0;
      }
      for (auto& address : addresses)
        address += value;
    }
    // Sums of 32-bit registers wrap: a negative offset is a large number.
    if (operand.base_bits != 64 && !(operand.uniform_base && operand.uniform_bits == 64)) {
      for (auto& address : addresses)
        address &= 0xffffffffu;
    }
    return (known & lanes) == lanes;
  }

  void write_word(const MicroOp& op, const Addresses& addresses, LaneMask lanes, int word) {
    // The address comes first, what is stored behind it.
    const auto& data = op.sources[1];
    std::array<std::uint32_t, warp_lanes> value;
    LaneMask known = all_lanes;
    int since = 0;
    fetch_word<warp_lanes>(data, state_, op.instruction, word, value, known, since);
    for (std::size_t i = 0; i < warp_lanes; ++i) {
      if (lanes >> i & 1)
        counts_.words->write(word_at(addresses, i, word), warp_, epoch_,
                             known >> i & 1 ? std::optional(value[i]) : std::nullopt);
    }
  }

  const PreparedProgram& prepared_;
  RunCounts& counts_;
  WarpState& state_;
  int warp_ = 0, epoch_ = 0;  // its number, the block-wide barriers that it has passed
  // Of the last store to global memory
  bool alone_ = false;
  LaneMask stored_lanes_ = 0;
  Addresses stored_sectors_{};
  std::vector<AccessCosts> caches_;
  AccessCosts::Key key_;  // of the access at hand
  Access access_;
};

}  // namespace tilecast::sass
