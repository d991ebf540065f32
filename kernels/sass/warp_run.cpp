#include "kernels/sass/warp_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>

#include "kernels/sass/access_costs.hpp"
#include "kernels/sass/fetch.hpp"
#include "kernels/sass/slice.hpp"
#include "model/support/errors.hpp"

namespace tilecast::sass {
namespace {

constexpr std::int64_t instruction_bytes = 16;
constexpr std::uint64_t sector_bytes = 32;
constexpr std::int64_t most_visits = 100'000'000;

CopyKind copy_kind(const Instruction& code) {
  if (!code.has("BYPASS")) return CopyKind::through_l1;
  return code.has("ZFILL") ? CopyKind::past_l1_with_zeros : CopyKind::past_l1;
}

bool touches_shared(const Instruction& code) {
  return code.op_class == OpClass::shared_load || code.op_class == OpClass::shared_store ||
         code.opcode == "ATOMS";
}

// Nearly always all; a call of std::popcount is felt where the target has no instruction for it.
int threads_of(LaneMask lanes) {
  return lanes == all_lanes ? warp_lanes : std::popcount(lanes);
}

// Threads that go through the program together.
struct Group {
  int block = 0;
  LaneMask lanes = 0;
  LaneMask waits_for = 0;  // lanes that must wait at the same block too; 0: runs
};

class WarpRun {
 public:
  WarpRun(const PreparedProgram& prepared, BlockIndex block, int warp, RunCounts& counts,
          std::vector<Visit>* path)
      : prepared_(prepared),
        program_(*prepared.program),
        counts_(counts),
        path_(path),
        warp_(warp),
        caches_(static_cast<std::size_t>(std::max(1, prepared.accesses))) {
    state_.block = {static_cast<std::uint32_t>(block.x), static_cast<std::uint32_t>(block.y),
                    static_cast<std::uint32_t>(block.z)};
    state_.rank = static_cast<std::uint32_t>(block.x % prepared.cluster);
    state_.live = 0;
    for (int lane = 0; lane < warp_lanes; ++lane) {
      const std::int64_t thread = std::int64_t{warp} * warp_lanes + lane;
      state_.thread[0][static_cast<std::size_t>(lane)] = static_cast<std::uint32_t>(thread);
      if (thread < prepared.threads) state_.live |= LaneMask{1} << lane;
    }
    groups_.push_back({.lanes = state_.live});
  }

  void run() {
    while (!groups_.empty()) {
      const auto runs = std::ranges::find(groups_.rbegin(), groups_.rend(), LaneMask{0}, &Group::waits_for);
      if (runs == groups_.rend())
        throw Error(ExitCode::failure, fmt::format("{}: threads of one warp wait for each other at {}",
                                                   program_.entry, describe(last(groups_.back().block))));
      const auto index = static_cast<std::size_t>(groups_.rend() - runs) - 1;
      const Group group = groups_[index];
      groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(index));
      visit(group);
      release();
      if (++visits_ > most_visits)
        throw Error(ExitCode::failure,
                    fmt::format("{}: more than {} blocks in one warp", program_.entry, most_visits));
    }
  }

 private:
  const Instruction& last(int block) const {
    return program_
        .instructions[static_cast<std::size_t>(program_.blocks[static_cast<std::size_t>(block)].last - 1)];
  }

  [[noreturn]] void refuse(const MicroOp& op, std::string_view what, int unknown_since) const {
    const auto& origin = program_.instructions[static_cast<std::size_t>(unknown_since)];
    throw Error(ExitCode::failure, fmt::format("{}: {} depends on {}, whose result cannot be calculated: {}",
                                               program_.entry, describe(*op.code), describe(origin), what));
  }

  // A result that depends on data is no harm as long as control and addresses do not depend on it.
  bool only_a_result(const MicroOp& op, LaneMask lanes) {
    if (!op.guarded || op.matters) return false;
    const auto flags = fetch_flags(op.guard, state_, op.instruction);
    return (flags.known & lanes) != lanes;
  }

  // An access to shared memory that depends on data, as of windows whose places are read from a table:
  // anything may be there.
  bool accesses_by_data(const MicroOp& op, LaneMask lanes) {
    if (!op.guarded) return false;
    const auto c = op.op_class;
    const bool accesses = c == OpClass::shared_load || c == OpClass::shared_store || c == OpClass::async_copy;
    if (!accesses) return false;
    const auto flags = fetch_flags(op.guard, state_, op.instruction);
    return (flags.known & lanes) != lanes;
  }

  // Lanes of `lanes` whose guard holds. A global load whose guard depends on what memory holds is taken to be
  // made by all: windows over the edge of a map are few.
  LaneMask guarded(const MicroOp& op, LaneMask lanes) const {
    if (!op.guarded) return lanes;
    const auto flags = fetch_flags(op.guard, state_, op.instruction);
    if ((flags.known & lanes) != lanes) {
      if (op.op_class == OpClass::global_load) return (lanes & flags.value) | (lanes & ~flags.known);
      refuse(op, "its guard is not known", flags.unknown_since);
    }
    return lanes & flags.value;
  }

  void visit(const Group& group) {
    const auto b = static_cast<std::size_t>(group.block);
    counts_.block_visits[b] += 1;
    counts_.block_threads[b] += threads_of(group.lanes);
    if (path_) path_->push_back({group.block, group.lanes});
    const auto& block = program_.blocks[b];
    for (const int i : prepared_.blocks[b].steps) {
      const auto& op = prepared_.ops[static_cast<std::size_t>(i)];
      if (only_a_result(op, group.lanes)) {
        run_unknown(op, state_, group.lanes);
        continue;
      }
      auto& count = counts_.steps[static_cast<std::size_t>(i)];
      if (accesses_by_data(op, group.lanes)) {
        count.with_lanes += 1;
        count.threads += threads_of(group.lanes);
        count.unknown_addresses += 1;
        if (counts_.words && op.code->op_class != OpClass::shared_load) counts_.words->lose_all();
        run_unknown(op, state_, group.lanes);
        continue;
      }
      const LaneMask lanes = guarded(op, group.lanes);
      if (lanes != 0) {
        count.with_lanes += 1;
        count.threads += threads_of(lanes);
      }
      if (i == block.last - 1 && ends(op, group, lanes)) return;
      if (lanes != 0) step(op, count, lanes);
    }
    go(group.block + 1, group.lanes);
  }

  void step(const MicroOp& op, InstructionCount& count, LaneMask lanes) {
    switch (op.op_class) {
      case OpClass::shared_load:
      case OpClass::shared_store:
      case OpClass::global_load:
      case OpClass::global_store:
      case OpClass::atomic:
      case OpClass::async_copy:
        access(op, count, lanes);
        if (counts_.words && use_words(op, lanes)) return;
        break;
      case OpClass::control:
        control(op, lanes);
        return;
      case OpClass::barrier:
        note_barrier(op, count, lanes);
        break;
      default:
        break;
    }
    calculate(op, lanes);
  }

  void calculate(const MicroOp& op, LaneMask lanes) {
    if (!op.run_one || lanes != all_lanes || !same_in_all_lanes(op, state_)) return op.run(op, state_, lanes);
    state_.one_for_all = true;
    op.run_one(op, state_, lanes);
    state_.one_for_all = false;
  }

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
    if (place == code.sources.end() || !address_of(*place, lanes, addresses)) {
      if (!load) counts_.words->lose_all();
      return false;
    }
    constexpr int word_bytes = 4;
    const int words = std::max(1, code.width_bits / 32);
    const auto word_at = [&](std::size_t lane, int word) {
      return static_cast<std::uint32_t>(addresses[lane]) / word_bytes * word_bytes +
             static_cast<std::uint32_t>(word * word_bytes);
    };
    for (int word = 0; word < words; ++word) {
      if (load) {
        if (op.destination) read_word(op, lanes, word, word_at);
      } else if (prepared_.slice.table_stores[at]) {
        write_word(op, lanes, word, word_at);
      } else {
        for (std::size_t i = 0; i < warp_lanes; ++i) {
          if (lanes >> i & 1) counts_.words->lose(word_at(i, word), warp_, epoch_);
        }
      }
    }
    return load;
  }

  template <class At>
  void read_word(const MicroOp& op, LaneMask lanes, int word, const At& at) {
    auto& to = state_.vector[static_cast<std::size_t>(*op.destination + word)];
    std::optional<std::uint32_t> address, value;
    for (std::size_t i = 0; i < warp_lanes; ++i) {
      if (!(lanes >> i & 1)) continue;
      if (address != at(i, word)) {
        address = at(i, word);
        value = counts_.words->read(*address, warp_, epoch_);
      }
      to.value[i] = value.value_or(0);
      to.known = value ? to.known | LaneMask{1} << i : to.known & ~(LaneMask{1} << i);
    }
    to.unknown_since = op.instruction;
    to.equal = false;
  }

  template <class At>
  void write_word(const MicroOp& op, LaneMask lanes, int word, const At& at) {
    // The address comes first, what is stored behind it.
    const auto& data = op.sources[1];
    std::array<std::uint32_t, warp_lanes> value;
    LaneMask known = all_lanes;
    int since = 0;
    fetch_word<warp_lanes>(data, state_, op.instruction, word, value, known, since);
    for (std::size_t i = 0; i < warp_lanes; ++i) {
      if (lanes >> i & 1)
        counts_.words->write(at(i, word), warp_, epoch_,
                             known >> i & 1 ? std::optional(value[i]) : std::nullopt);
    }
  }

  void note_barrier(const MicroOp& op, InstructionCount& count, LaneMask lanes) {
    if (op.code->opcode == "BAR") ++epoch_;
    const auto& sources = op.code->sources;
    if (sources.empty() || sources.front().kind != OperandKind::vector_register) return;
    const auto& named = state_.vector[static_cast<std::size_t>(sources.front().index)];
    const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
    if (named.known >> lane & 1) count.barrier = named.value[lane];
  }

  // Convergence barriers: who takes part is noted, waiting happens where a block ends.
  void control(const MicroOp& op, LaneMask lanes) {
    if (op.flow == Flow::note) {
      auto& barrier = barrier_of(op);
      for (std::size_t i = 0; i < warp_lanes; ++i) {
        if (lanes >> i & 1) barrier[i] = lanes;
      }
    } else if (op.flow == Flow::forget) {
      for (auto& members : barrier_of(op))
        members &= ~lanes;
    } else if (op.code->opcode == "BMOV") {
      op.run(op, state_, lanes);
    }
  }

  std::array<LaneMask, warp_lanes>& barrier_of(const MicroOp& op) {
    if (op.meeting) return state_.barriers[static_cast<std::size_t>(*op.meeting)];
    throw Error(ExitCode::failure,
                fmt::format("{}: {} names no barrier", program_.entry, describe(*op.code)));
  }

  void go(int block, LaneMask lanes, LaneMask waits_for = 0) {
    if (lanes != 0) groups_.push_back({block, lanes, waits_for});
  }

  // What a block's last instruction does to control; false: an ordinary instruction.
  bool ends(const MicroOp& op, const Group& group, LaneMask lanes) {
    const LaneMask others = group.lanes & ~lanes;
    const int next = group.block + 1;
    switch (op.flow) {
      case Flow::leave:
        state_.live &= ~lanes;
        go(next, others);
        return true;
      case Flow::branch: {
        const LaneMask taken = branches(op, group, lanes);
        go(target_of(op), taken);
        go(next, group.lanes & ~taken);
        return true;
      }
      case Flow::call:
        go(target_of(op), lanes);
        go(next, others);
        return true;
      case Flow::back:
        return_to(op, lanes);
        go(next, others);
        return true;
      case Flow::meet: {
        const auto& barrier = barrier_of(op);
        go(next, others);
        go(next, lanes, lanes ? barrier[static_cast<std::size_t>(std::countr_zero(lanes))] : 0);
        return true;
      }
      case Flow::meet_warp:
        go(next, others);
        go(next, lanes, sync_mask(op, lanes));
        return true;
      case Flow::other:
        throw Error(ExitCode::failure, fmt::format("{}: {}: branches of this kind are not followed",
                                                   program_.entry, describe(*op.code)));
      default:
        return false;
    }
  }

  LaneMask sync_mask(const MicroOp& op, LaneMask lanes) const {
    if (op.source_count == 0) return all_lanes;  // WARPSYNC.ALL
    const auto mask = fetch<std::uint32_t, warp_lanes>(op, state_, 0);
    if ((mask.known & lanes) != lanes) refuse(op, "its mask is not known", mask.unknown_since);
    return lanes ? mask.value[static_cast<std::size_t>(std::countr_zero(lanes))] : 0;
  }

  // BRA's own condition besides the guard: a predicate operand with .U, divergence of the warp with .DIV.
  LaneMask branches(const MicroOp& op, const Group& group, LaneMask lanes) const {
    if (op.by_divergence) {
      const bool diverged = group.lanes != state_.live;
      return diverged == op.if_diverged ? lanes : 0;
    }
    for (int i = 0; i < op.source_count; ++i) {
      const auto kind = op.code->sources[static_cast<std::size_t>(i)].kind;
      if (kind != OperandKind::predicate && kind != OperandKind::uniform_predicate) continue;
      const auto flags = fetch_flags(op.sources[static_cast<std::size_t>(i)], state_, op.instruction);
      if ((flags.known & lanes) != lanes) refuse(op, "its condition is not known", flags.unknown_since);
      lanes &= flags.value;
    }
    return lanes;
  }

  int target_of(const MicroOp& op) const {
    if (op.target) return *op.target;
    throw Error(ExitCode::failure,
                fmt::format("{}: {}: computed targets are not followed", program_.entry, describe(*op.code)));
  }

  // RET.REL R8 `(function): the register pair holds the offset from the function's start.
  void return_to(const MicroOp& op, LaneMask lanes) {
    if (lanes == 0) return;
    const auto address = fetch<std::uint32_t, warp_lanes>(op, state_, 0);
    if ((address.known & lanes) != lanes)
      refuse(op, "its return address is not known", address.unknown_since);
    std::int64_t base = 0;
    for (const auto& operand : op.code->sources) {
      if (operand.kind == OperandKind::target) base = operand.value;
    }
    while (lanes != 0) {
      const auto to = address.value[static_cast<std::size_t>(std::countr_zero(lanes))];
      LaneMask same = 0;
      for (std::size_t i = 0; i < warp_lanes; ++i)
        same |= LaneMask{address.value[i] == to} << i;
      const std::int64_t offset = base + static_cast<std::int64_t>(to);
      const int block = program_.block_at(offset);
      if (program_.blocks[static_cast<std::size_t>(block)].first * instruction_bytes != offset)
        throw Error(ExitCode::failure, fmt::format("{}: {} goes to {:#x}, which follows no call",
                                                   program_.entry, describe(*op.code), offset));
      go(block, lanes & same);
      lanes &= ~same;
    }
  }

  // Groups that wait for lanes which have all come, or exited, go on together.
  void release() {
    if (groups_.size() == 1) {  // as nearly always
      auto& group = groups_.front();
      if ((group.waits_for & state_.live & ~group.lanes) == 0)
        group = {group.block, group.waits_for == 0 ? group.lanes : group.lanes & state_.live, 0};
      return;
    }
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      if (groups_[i].waits_for == 0) continue;
      LaneMask here = 0;
      for (const auto& group : groups_) {
        if (group.waits_for != 0 && group.block == groups_[i].block) here |= group.lanes;
      }
      if ((groups_[i].waits_for & state_.live & ~here) != 0) continue;
      const LaneMask together = here & (groups_[i].waits_for | groups_[i].lanes);
      const int block = groups_[i].block;
      std::erase_if(groups_, [&](const Group& group) {
        return group.waits_for != 0 && group.block == block && (group.lanes & ~together) == 0;
      });
      groups_.push_back({block, together & state_.live, 0});
      i = static_cast<std::size_t>(-1);  // from the start again
    }
  }

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

  void add_cost(InstructionCount& count, const AccessCost& cost) const {
    count.wavefronts += cost.cost.wavefronts;
    count.sectors += cost.cost.sectors;
    count.partial_sectors += cost.partial_sectors;
  }

  void access(const MicroOp& op, InstructionCount& count, LaneMask lanes) {
    std::uint64_t shared_first = 0;
    const auto* base = shared_base(op, lanes, shared_first);
    auto& cache = caches_[static_cast<std::size_t>(op.access)];
    if (base) {
      if (const auto* cost = cache.find_shared(base->value, shared_first)) return add_cost(count, *cost);
    }
    const auto& code = *op.code;
    const Operand* places[2] = {nullptr, nullptr};  // in shared and in global memory
    const bool copy = code.op_class == OpClass::async_copy;
    for (const auto& operand : code.sources) {
      if (operand.kind != OperandKind::memory) continue;
      // The first address of an asynchronous copy is in shared memory, the second in global memory.
      const bool shared = copy ? places[0] == nullptr : touches_shared(code);
      (shared ? places[0] : places[1]) = &operand;
    }
    Addresses shared, global;
    if ((places[0] && !address_of(*places[0], lanes, shared)) ||
        (places[1] && !address_of(*places[1], lanes, global))) {
      count.unknown_addresses += 1;
      return;
    }
    if (code.opcode == "LD" && in_shared_window(global, lanes)) {
      const auto first = global[static_cast<std::size_t>(std::countr_zero(lanes))];
      count.cluster += 1;
      count.cluster_own += (first & 0xffffffffu) >> cluster_rank_shift == state_.rank ? 1 : 0;
      for (auto& address : global)
        address &= (std::uint64_t{1} << cluster_rank_shift) - 1;
      count.wavefronts += shared_wavefronts(global, lanes, code.width_bits / 8);
      return;
    }
    if (counts_.stored && code.op_class == OpClass::global_store)
      note_stored(global, lanes, code.width_bits / 8);
    if (counts_.loads && goes_through_l1(code)) {
      note_load(op.instruction, global, copy ? lanes & ~zeroed(op) : lanes, code.width_bits / 8);
    }
    key_.lanes = lanes;
    key_.present = copy ? lanes & ~zeroed(op) : lanes;
    if (places[0]) key_.shared.set(shared, lanes, copy ? copy_period : shared_period);
    if (places[1]) key_.global.set(global, lanes, copy ? copy_period : global_period);
    const auto* known = cache.find(key_, places[0] != nullptr, places[1] != nullptr);
    const auto& cost = known ? *known
                             : cache.keep(key_, access_cost(code, places[0] != nullptr, places[1] != nullptr,
                                                            shared, global, lanes, key_.present));
    if (base) cache.keep_shared(base->value, shared_first, cost);
    add_cost(count, cost);
    if (code.op_class == OpClass::global_store && cost.partial_sectors > 0 && joins(global, lanes))
      count.joined_sectors += cost.partial_sectors;
  }

  // Lanes for which an async copy only writes zeros: those without its last operand, where it has one.
  LaneMask zeroed(const MicroOp& op) const {
    if (op.source_count == 0) return 0;
    const auto last = static_cast<std::size_t>(op.source_count - 1);
    if (op.code->sources[last].kind != OperandKind::predicate) return 0;
    const auto flags = fetch_flags(op.sources[last], state_, op.instruction);
    return flags.known & ~flags.value;
  }

  static AccessCost access_cost(const Instruction& code, bool in_shared, bool in_global,
                                const Addresses& shared, const Addresses& global, LaneMask lanes,
                                LaneMask present) {
    const int bytes = code.width_bits / 8;
    if (code.op_class == OpClass::async_copy)
      return {.cost = async_copy_cost(shared, global, lanes, present, bytes, copy_kind(code))};
    return {.cost = {.wavefronts = in_shared ? shared_wavefronts(shared, lanes, bytes) : 0,
                     .sectors = in_global ? touched_sectors(global, lanes, bytes) : 0},
            .partial_sectors =
                code.op_class == OpClass::global_store ? partial_sectors(global, lanes, bytes) : 0};
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

  static bool goes_through_l1(const Instruction& code) {
    return code.op_class == OpClass::global_load ||
           (code.op_class == OpClass::async_copy && copy_kind(code) == CopyKind::through_l1);
  }

  void note_load(int instruction, const Addresses& addresses, LaneMask lanes, int bytes) {
    auto& log = *counts_.loads;
    if (log.full()) return;
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
    log.accesses.push_back({instruction, epoch_, static_cast<std::uint32_t>(first),
                            static_cast<std::uint32_t>(log.sectors.size() - first)});
  }

  // Neighbouring lanes' neighbouring bytes as one range.
  void note_stored(const Addresses& addresses, LaneMask lanes, int bytes) {
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
  }

  // Generic addresses of shared memory, this block's or another's of its cluster.
  static bool in_shared_window(const Addresses& addresses, LaneMask lanes) {
    for (std::size_t i = 0; i < warp_lanes; ++i) {
      if ((lanes >> i & 1) && addresses[i] >> 32 != shared_window_high) return false;
    }
    return true;
  }

  bool address_of(const Operand& operand, LaneMask lanes, Addresses& addresses) const {
    LaneMask known = all_lanes;
    addresses.fill(static_cast<std::uint64_t>(operand.value));
    const auto add_vector = [&](int index, int bits, std::uint64_t scale) {
      if (index == zero_register) return;
      const auto& low = state_.vector[static_cast<std::size_t>(index)];
      known &= low.known;
      for (std::size_t i = 0; i < warp_lanes; ++i)
        addresses[i] += scale * low.value[i];
      if (bits != 64) return;
      const auto& high = state_.vector[static_cast<std::size_t>(index) + 1];
      known &= high.known;
      for (std::size_t i = 0; i < warp_lanes; ++i)
        addresses[i] += std::uint64_t{high.value[i]} << 32;
    };
    if (operand.base) add_vector(*operand.base, operand.base_bits, static_cast<std::uint64_t>(operand.scale));
    if (operand.uniform_base && *operand.uniform_base != zero_register) {
      const auto index = static_cast<std::size_t>(*operand.uniform_base);
      std::uint64_t value = state_.uniform[index].value[0];
      if (!(state_.uniform[index].known & 1)) known = 0;
      if (operand.uniform_bits == 64) {
        value |= std::uint64_t{state_.uniform[index + 1].value[0]} << 32;
        if (!(state_.uniform[index + 1].known & 1)) known = 0;
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

  const PreparedProgram& prepared_;
  const Program& program_;
  RunCounts& counts_;
  std::vector<Visit>* path_;
  int warp_ = 0, epoch_ = 0;  // its number, the block-wide barriers that it has passed
  WarpState state_;
  std::vector<Group> groups_;
  // Of the last store to global memory
  bool alone_ = false;
  LaneMask stored_lanes_ = 0;
  Addresses stored_sectors_{};
  std::vector<AccessCosts> caches_;
  AccessCosts::Key key_;  // of the access at hand
  std::int64_t visits_ = 0;
};

}  // namespace

void run_warp(const PreparedProgram& prepared, BlockIndex block, int warp, RunCounts& counts,
              std::vector<Visit>* path) {
  // On the heap: the registers of a warp are 32 KB and more.
  std::make_unique<WarpRun>(prepared, block, warp, counts, path)->run();
}

}  // namespace tilecast::sass
