#include "model/sim/decode.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/sim/operand_ports.hpp"
#include "model/support/errors.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::sim {
namespace {

using Kind = StreamOpKind;

struct UnitUse {
  Unit unit;
  int interval;
};

// S2
UnitUse unit_of(Kind kind, const CoreParameters& p) {
  switch (kind) {
    case Kind::fp32:
      return {Unit::fp32, p.fp32_interval};
    case Kind::integer_mad:
      return {Unit::fp32_first, p.fp32_interval};
    case Kind::integer_wide:
      return {Unit::fp32_first, p.wide_interval};
    case Kind::integer:
      return {Unit::integer, p.integer_interval};
    case Kind::fp16:
      return {Unit::half, p.half_interval};
    case Kind::fp64:
      return {Unit::fp64, p.double_interval};
    case Kind::conversion:
    case Kind::mufu:
      return {Unit::special, p.special_interval};
    case Kind::uniform:
      return {Unit::uniform, p.uniform_interval};
    case Kind::control:
    case Kind::special:
    case Kind::uniform_read:
    case Kind::constant_load:
    case Kind::wait_groups:
    case Kind::cluster_arrive:
    case Kind::cluster_wait:
      return {Unit::none, 1};
    default:
      return {Unit::memory, p.cycles_per_register};
  }
}

int fixed_latency_of_result(Kind kind, const CoreParameters& p) {
  switch (kind) {
    case Kind::special:
      return p.special_latency;
    case Kind::uniform_read:
      return p.uniform_read_latency;
    case Kind::conversion:
      return p.conversion_latency;
    case Kind::mufu:
      return p.mufu_latency;
    case Kind::fp64:
      return p.double_latency;
    case Kind::constant_load:
      return p.constant_latency;
    case Kind::uniform:
      return p.uniform_latency;
    default:
      return p.special_latency;
  }
}

bool stores_registers(const StreamOp& op) {
  return op.kind == Kind::shared_store || op.kind == Kind::global_store;
}

// S4. Vector registers that a memory instruction reads: its address, and a store's data.
int registers_read(const StreamOp& op) {
  constexpr int register_bytes = 4;
  if (op.kind == Kind::barrier || op.kind == Kind::commit_group || op.kind == Kind::fence) return 0;
  const int data = stores_registers(op) ? (op.width_bytes + register_bytes - 1) / register_bytes : 0;
  return op.address_registers + data;
}

// S4. Cycles from issue until the sources are read, in an empty queue. The parameters are for 32 bits per
// lane; further data registers follow one by one.
int address_cycles(const StreamOp& op, const CoreParameters& p) {
  const int more = stores_registers(op) ? (op.width_bytes - 1) / 4 * p.cycles_per_register : 0;
  switch (op.kind) {
    case Kind::shared_store:
      return p.shared_store_address + more;
    case Kind::global_store:
      return p.global_store_address + more;
    case Kind::global_load:
    case Kind::cluster_load:
      return p.global_load_address;
    case Kind::async_copy:
      return p.async_copy_address;
    default:
      return p.shared_load_address;
  }
}

constexpr double store_sectors_a_cycle = 2;  // S4. into the room that stores have

constexpr double tag_cycles = 0.37;  // S4. for each line that L1 has or that is under way

// S4. Wavefronts of a load: hits and lines under way cost only their tags (the banks read hits behind the
// pipe), misses one per line.
double passes_of_load(const StreamOp& op) {
  return op.l1_hit * tag_cycles * op.lines + (1 - op.l1_hit) * op.lines;
}

// S4. The share of a copy's sectors that L1 has. Lanes that only write zeros request nothing.
double share_there(const StreamOp& op) {
  return op.sectors > 0 ? op.l1_hit - op.l1_under_way : 1;
}

// S4. Wavefronts of a copy through L1, of all its lines together and line by line. Where shared memory lies
// in L1's half of their store, what is copied is read and written one after the other: nothing of copies that
// write zeros alone, less of those that few lanes make.
struct CopyWavefronts {
  double together = 0, by_line = 0;
};

CopyWavefronts wavefronts_of_copy(const StreamOp& op, const CoreParameters& p) {
  if (op.wavefronts <= 0) return {};
  constexpr double hidden = 0.4;
  const double passes = std::max(1, op.width_bytes / word_bytes);
  const double slower = op.sectors > 0 ? p.copies_in_l1_half * std::min(1.0, op.written / passes) : 0;
  return {op.wavefronts + slower * (passes - hidden),
          op.by_line + slower * (std::max(passes, op.lines) - hidden)};
}

// S4. Wavefronts of a copy through L1 at its turn: hits pass the banks at once, the rest on arrival.
double passes_of_copy(const StreamOp& op, const CoreParameters& p) {
  const double there = share_there(op);
  return there * std::max(wavefronts_of_copy(op, p).together, tag_cycles * op.lines) +
         (1 - there) * p.accept_interval;
}

// A14. The same in a mix, where misses pass line by line; without L1's half.
double passes_in_mix(const StreamOp& op) {
  const double tags = tag_cycles * op.lines;
  return (op.l1_hit - op.l1_under_way) * std::max(op.wavefronts, tags) + op.l1_under_way * tags +
         (1 - op.l1_hit) * std::max(op.wavefronts, op.lines);
}

// S4. Cycles of L1's tags for the lines of a copy that L1 does not have yet.
double tags_of_copy(const StreamOp& op) {
  constexpr double new_sector = 0.8;  // cycles a line
  return (op.l1_under_way * tag_cycles + (1 - op.l1_hit) * new_sector) * op.lines;
}

// S4. Wavefronts of an arriving copy that read L1 behind shared accesses, beyond the one with its first
// write: those with many bank conflicts.
double read_behind(const StreamOp& op) {
  constexpr double many = 8;
  const double reads = op.wavefronts - op.written;
  return reads > many ? reads : 0;
}

// S4. Cycles of the memory pipe when the data of a copy through L1 arrive, beyond its first turn.
double arriving_wavefronts(const StreamOp& op, const CoreParameters& p) {
  constexpr double alone = 0.45;  // weight of the wavefronts of lines that arrive one by one
  if (op.sectors <= 0) return 0;
  const auto wavefronts = wavefronts_of_copy(op, p);
  const double missed = 1 - op.l1_hit, more = std::max(0.0, wavefronts.by_line - wavefronts.together);
  const auto behind = [&](double passes) {
    return std::max(0.0, passes * p.cycles_per_wavefront - p.accept_interval);
  };
  const double ahead = wavefronts.together - read_behind(op);
  return op.l1_under_way * behind(ahead) + missed * behind(ahead + alone * more);
}

// S4. Cycles of the SM's one memory pipe. Data of a copy past L1 are written to shared memory in parallel;
// its wavefronts keep only the next copy waiting.
double accept_cycles(const StreamOp& op, const CoreParameters& p) {
  double wavefronts = 0;
  switch (op.kind) {
    case Kind::shared_load:
    case Kind::shared_store:
    case Kind::cluster_load:
      wavefronts = op.wavefronts;
      break;
    case Kind::warp_exchange:
      wavefronts = 1;
      break;
    case Kind::global_load:
      wavefronts = std::max(passes_of_load(op), op.sectors / sectors_per_wavefront);
      break;
    case Kind::global_store:
      wavefronts = op.sectors / store_sectors_a_cycle;
      break;
    case Kind::async_copy:
      wavefronts = op.past_l1 ? 0 : passes_of_copy(op, p);
      break;
    default:
      break;
  }
  return std::max<double>(p.accept_interval, wavefronts * p.cycles_per_wavefront);
}

// What a memory instruction costs inside the SM and beyond.
void decode_memory(DecodedOp& d, const StreamOp& op, const CoreParameters& p) {
  d.address = static_cast<std::int16_t>(address_cycles(op, p));
  d.registers = static_cast<std::int8_t>(registers_read(op));
  d.data_registers = static_cast<std::int8_t>(d.registers - (d.registers > 0 ? op.address_registers : 0));
  d.interval = static_cast<std::int16_t>(std::max(1, d.registers * p.cycles_per_register));
  d.width = op.width_bytes;
  d.accept = d.in_mix = accept_cycles(op, p);
  if (op.kind == Kind::async_copy && !op.past_l1) {
    d.behind_copy = p.copy_behind_copy;
    d.in_mix = std::max<double>(p.accept_interval, passes_in_mix(op) * p.cycles_per_wavefront);
    d.copy_comes = (1 - share_there(op)) * p.copy_comes;
    d.tags = tags_of_copy(op);
    d.later = arriving_wavefronts(op, p);
    if (const double reads = read_behind(op); op.sectors > 0 && reads > 0)
      d.reads_later = (1 - share_there(op)) * (reads + 1) * p.cycles_per_wavefront;
  }
  d.past_l1 = op.kind == Kind::async_copy && op.past_l1;
  if (d.past_l1) d.behind_copy = std::max(0.0, op.wavefronts * p.cycles_per_wavefront - d.accept);
  d.comes = op.sectors > 0 && (op.l1_hit < 1 || op.l1_under_way > 0);
  if (op.kind == Kind::global_load && !op.local) {
    d.later = op.wavefronts;
    if (!d.comes) d.later_most = p.loads_in_l1 * op.wavefronts;
  }
  // A 128-bit result waits for cycles in which nothing else writes registers; for more, and until there are
  // some, where it returns two registers per lane and cycle (S4).
  if (op.kind == Kind::shared_load && op.width_bytes > 8) {
    const bool two = threads_per_warp * op.width_bytes / d.accept > wavefront_bytes;
    d.return_hold = static_cast<std::int16_t>(two ? p.wide_return_hold : std::min(1, p.wide_return_hold));
    d.slow_return = !two;
  }
  d.local_load = op.local && op.kind == Kind::global_load;
  d.sectors = op.sectors * (d.local_load ? 1 : 1 - op.l1_hit);
  d.lines = op.lines * (1 - op.l1_hit);
  if (!op.past_l1 && !op.local && d.sectors > 0) d.new_lines = op.l1_new_lines;
  d.line_cycles = op.past_l1 ? p.line_cycles_past_l1 : p.line_cycles;
  d.store_packets = op.sectors + op.masks - op.joined_packets;
  d.joined_behind = op.joined_behind;
  d.joined_around = op.joined_around;
  d.joined_own = op.joined_own;
  d.lone_sectors = op.lone_sectors;
  d.stored_bytes = op.stored_bytes > 0 ? op.stored_bytes : sector_bytes * op.sectors;
  d.own_share = op.l1_hit;
  d.cluster_bytes = op.lanes * op.width_bytes * (1 - op.l1_hit);
  d.has_dram_share = op.dram_share.has_value();
  d.dram_share = op.dram_share.value_or(0);
  d.tensor = op.tensor;
}

DecodedOp decode_op(const StreamOp& op, const CoreParameters& p, int warps) {
  DecodedOp d;
  d.kind = op.kind;
  const auto use = unit_of(op.kind, p);
  d.unit = use.unit;
  d.interval = static_cast<std::int16_t>(use.interval);
  d.reads_ports = use.unit == Unit::fp32 || use.unit == Unit::fp32_first || use.unit == Unit::integer ||
                  use.unit == Unit::half;
  d.is_long = op.kind == Kind::global_load || op.kind == Kind::global_store || op.kind == Kind::async_copy ||
              op.kind == Kind::commit_group || op.kind == Kind::cluster_load;
  const auto scoreboard = [](const std::optional<int>& b) {
    return b ? static_cast<std::uint8_t>(*b) : no_scoreboard;
  };
  d.write_barrier = scoreboard(op.write_barrier);
  d.read_barrier = scoreboard(op.read_barrier);
  d.wait_mask = static_cast<std::uint8_t>(op.wait_mask);
  d.reuse = static_cast<std::uint8_t>(op.reuse_mask);
  for (std::size_t i = 0; i < 3; ++i)
    d.sources[i] = op.sources[i] ? static_cast<std::uint8_t>(*op.sources[i]) : no_register;
  // S1, S7. A warp issues at most once a cycle, yield leaves the next cycle to another warp, and the target
  // of a taken branch must be fetched first.
  int stall = std::max(1, op.stall);
  if (op.yield) stall = std::max(stall, 2);
  if (op.kind == Kind::integer_wide && op.stall >= p.wide_wait) stall += p.wide_interval - 1;
  d.if_taken = static_cast<std::int16_t>(p.branch + (op.far ? p.far_branch : 0));
  if (op.taken_branch) stall += d.if_taken;
  if (op.converges) stall += p.converge;
  d.stall = static_cast<std::int16_t>(stall);
  d.latency = static_cast<std::int16_t>(fixed_latency_of_result(op.kind, p));
  d.groups = static_cast<std::int16_t>(op.groups);
  d.barrier_id = static_cast<std::int16_t>(op.barrier_id);
  d.barrier_warps = static_cast<std::int16_t>(op.barrier_warps.value_or(warps));
  d.arrive_only = op.arrive_only;
  d.first_constant = op.first_constant;
  if (op.place) d.line = static_cast<std::int16_t>(*op.place / p.line_instructions);
  if (is_memory(use.unit)) decode_memory(d, op, p);
  return d;
}

class Flattener {
 public:
  // `barriers[i]`: number of barriers before operation i.
  Flattener(const std::vector<DecodedOp>& ops, const std::vector<std::int32_t>& barriers,
            std::vector<ProgramStep>& program, std::vector<std::string>& names)
      : ops_(ops), barriers_(barriers), program_(program), names_(names) {}

  // Appends these trace lines to the program; returns their number of operations.
  std::int64_t lines(const std::vector<TraceStep>& trace, std::size_t begin, std::size_t end, int depth) {
    std::int64_t operations = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const auto& step = trace[i];
      if (step.kind == TraceStep::Kind::run) {
        if (step.count > 0) program_.push_back({ProgramStep::Kind::run, step.first, step.first + step.count});
        operations += step.count;
        continue;
      }
      const auto inner_end = i + 1 + static_cast<std::size_t>(step.count);
      operations += loop(trace, i, inner_end, depth);
      i = inner_end - 1;
    }
    return operations;
  }

 private:
  std::int64_t loop(const std::vector<TraceStep>& trace, std::size_t at, std::size_t end, int depth) {
    if (depth >= max_depth)
      throw InputError(fmt::format("instruction stream: loops nested deeper than {}", max_depth));
    const auto begin = program_.size();
    ProgramStep head{ProgramStep::Kind::loop_begin};
    head.name = static_cast<std::int32_t>(names_.size());
    program_.push_back(head);
    std::int64_t operations = 0;
    if (trace[at].kind == TraceStep::Kind::loop) {
      operations = group(trace, at, end, begin, depth);
    } else {
      for (auto inner = at + 1; inner < end; inner += 1 + static_cast<std::size_t>(trace[inner].count))
        operations +=
            group(trace, inner, inner + 1 + static_cast<std::size_t>(trace[inner].count), begin, depth);
    }
    if (operations == 0) {
      program_.pop_back();
      return 0;
    }
    names_.push_back(trace[at].name);
    for (std::size_t i = begin; i < program_.size(); ++i)
      program_[begin].barriers |= barriers_of(program_[i]);
    program_.push_back({ProgramStep::Kind::loop_end});
    return operations;
  }

  // Barrier arrivals from step `begin` to the end of the program so far, inner loops with all trips.
  std::int64_t arrivals_since(std::size_t begin) const {
    std::int64_t arrivals = 0;
    for (auto i = begin; i < program_.size(); ++i) {
      const auto& step = program_[i];
      if (step.kind == ProgramStep::Kind::group_begin) {
        arrivals += step.trips * step.arrivals;
        i = static_cast<std::size_t>(step.end);
      } else {
        arrivals += barriers_in(step);
      }
    }
    return arrivals;
  }

  // Number of barriers in a run.
  std::int32_t barriers_in(const ProgramStep& step) const {
    if (step.kind != ProgramStep::Kind::run) return 0;
    return barriers_[static_cast<std::size_t>(step.last)] - barriers_[static_cast<std::size_t>(step.first)];
  }

  // Bit i: the run has barrier i.
  std::uint16_t barriers_of(const ProgramStep& step) const {
    unsigned barriers = 0;
    if (barriers_in(step) == 0) return 0;
    for (auto i = step.first; i < step.last; ++i) {
      const auto& o = ops_[static_cast<std::size_t>(i)];
      if (o.kind == Kind::barrier) barriers |= 1U << o.barrier_id;
    }
    return static_cast<std::uint16_t>(barriers);
  }

  // Appends a group of equal trips to the loop at `head`; returns the operations of all its trips.
  std::int64_t group(const std::vector<TraceStep>& trace, std::size_t at, std::size_t end, std::size_t head,
                     int depth) {
    if (trace[at].trips <= 0) return 0;
    const auto begin = program_.size();
    ProgramStep first{ProgramStep::Kind::group_begin};
    first.trips = trace[at].trips;
    program_.push_back(first);
    const auto operations = lines(trace, at + 1, end, depth + 1);
    if (operations == 0) {  // nothing in it
      program_.pop_back();
      return 0;
    }
    ProgramStep last{ProgramStep::Kind::group_end};
    last.begin = static_cast<std::int32_t>(begin);
    program_[begin].operations = operations;
    program_[begin].arrivals = arrivals_since(begin + 1);
    program_[begin].end = static_cast<std::int32_t>(program_.size());
    program_[head].trips += trace[at].trips;
    program_.push_back(last);
    return trace[at].trips * operations;
  }

  const std::vector<DecodedOp>& ops_;
  const std::vector<std::int32_t>& barriers_;
  std::vector<ProgramStep>& program_;
  std::vector<std::string>& names_;
};

// S2. Lengthens stall counts so that a warp's IMAD.HI and IMAD.WIDE issue at least `wide_apart` cycles apart.
void part_wide(std::vector<DecodedOp>& ops, const CoreParameters& p) {
  int since = p.wide_apart;  // cycles from the last one's issue
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const bool wide = ops[i].unit == Unit::fp32_first && ops[i].interval == p.wide_interval;
    if (wide && since < p.wide_apart)
      ops[i - 1].stall = static_cast<std::int16_t>(ops[i - 1].stall + p.wide_apart - since);
    since = std::min(p.wide_apart, (wide ? 0 : since) + ops[i].stall);
  }
}

// S7. For code that exceeds the instruction cache: the executed lines, by last use, that are still cached
// when the next launch begins.
void find_lines(DecodedStream& d, const CoreParameters& p) {
  for (const auto& o : d.ops)
    d.lines = std::max(d.lines, o.line + 1);
  if (d.lines <= p.line_sets * p.line_ways) return;  // all of them fit
  std::vector<std::int32_t> last(static_cast<std::size_t>(d.lines), -1);
  std::int32_t at = 0;
  for (const auto& program : d.programs) {
    for (const auto& step : program) {
      for (auto i = step.first; step.kind == ProgramStep::Kind::run && i < step.last; ++i) {
        const auto line = d.ops[static_cast<std::size_t>(i)].line;
        if (line >= 0) last[static_cast<std::size_t>(line)] = at++;
      }
    }
  }
  for (std::int16_t line = 0; line < d.lines; ++line) {
    if (last[static_cast<std::size_t>(line)] >= 0) d.cached.push_back(line);
  }
  std::ranges::sort(d.cached, {}, [&](std::int16_t line) { return last[static_cast<std::size_t>(line)]; });
  // Each set keeps its most recently used lines.
  std::vector<int> room(static_cast<std::size_t>(p.line_sets), p.line_ways);
  std::vector<std::int16_t> left;
  for (auto line = d.cached.rbegin(); line != d.cached.rend(); ++line) {
    auto& ways = room[static_cast<std::size_t>(*line % p.line_sets)];
    if (ways-- > 0) left.push_back(*line);
  }
  d.fetches = left.size() < d.cached.size();
  d.cached.assign(left.rbegin(), left.rend());
}

}  // namespace

DecodedStream decode(const InstructionStream& stream, const CoreParameters& parameters) {
  if (const auto problem = stream_problem(stream); !problem.empty())
    throw InputError("instruction stream: " + problem);
  DecodedStream d;
  const int warps = static_cast<int>(stream.role_of_warp.size());
  d.ops.reserve(stream.ops.size());
  for (const auto& op : stream.ops)
    d.ops.push_back(decode_op(op, parameters, warps));
  part_wide(d.ops, parameters);
  std::vector<std::int32_t> barriers{0};
  for (const auto& op : d.ops)
    barriers.push_back(barriers.back() + (op.kind == Kind::barrier ? 1 : 0));
  for (const auto& role : stream.roles) {
    auto& program = d.programs.emplace_back();
    d.operations.push_back(
        Flattener(d.ops, barriers, program, d.loop_names).lines(role.trace, 0, role.trace.size(), 0));
    program.push_back({ProgramStep::Kind::end});
  }
  d.roles_of_warps.push_back(stream.role_of_warp);
  for (const auto& edge : stream.edges)
    d.roles_of_warps.push_back(edge.role_of_warp);
  find_lines(d, parameters);
  return d;
}

std::vector<IssueOp> issue_ops(const std::vector<DecodedOp>& ops, const CoreParameters& p) {
  std::vector<IssueOp> out;
  out.reserve(ops.size());
  for (const auto& op : ops) {
    IssueOp o;
    o.unit = op.unit;
    o.reads_ports = op.reads_ports;
    o.global = op.sectors > 0;
    o.has_scoreboard = op.write_barrier != no_scoreboard || op.read_barrier != no_scoreboard;
    o.waits = op.kind == Kind::wait_groups || op.kind == Kind::cluster_wait;
    o.acts = o.waits || op.kind == Kind::commit_group || op.kind == Kind::barrier || op.kind == Kind::fence ||
             op.kind == Kind::cluster_arrive;
    o.wait_mask = op.wait_mask;
    o.first_constant = op.first_constant;
    o.plain = !is_memory(o.unit) && !o.has_scoreboard && !o.acts && o.wait_mask == 0 && !o.first_constant;
    o.stall = op.stall;
    o.interval = op.interval;
    o.beside = static_cast<std::uint8_t>(op.kind == Kind::integer_wide ? p.integer_interval : 0);
    o.line = op.line;
    o.operands = port_operands(op.sources, op.reuse);
    out.push_back(o);
  }
  return out;
}

}  // namespace tilecast::sim
