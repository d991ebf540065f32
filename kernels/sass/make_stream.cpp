#include "kernels/sass/make_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kernels/sass/first_constants.hpp"
#include "kernels/sass/flow_graph.hpp"
#include "kernels/sass/followed_loops.hpp"
#include "kernels/sass/l1_hits.hpp"
#include "kernels/sass/launch_constants.hpp"
#include "kernels/sass/shared_words.hpp"
#include "kernels/sass/stored.hpp"
#include "kernels/sass/stream_kind.hpp"
#include "kernels/sass/trace_writer.hpp"
#include "model/support/errors.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::sass {
namespace {

[[noreturn]] void refuse(const Program& program, const Instruction& i, std::string_view why) {
  throw InputError(fmt::format("{}: {}: {}", program.entry, describe(i), why));
}

void set_operands(StreamOp& op, const Instruction& i) {
  // Slots count what is not a predicate, in the order of the listing.
  std::size_t place = 0;
  for (const auto& source : i.sources) {
    if (source.kind == OperandKind::predicate || source.kind == OperandKind::uniform_predicate) continue;
    const auto slot = operand_slot(i, place);
    if (slot >= op.sources.size()) break;
    if (source.kind == OperandKind::vector_register && source.index != zero_register) {
      op.sources[slot] = source.index;
      if (source.reuse) op.reuse_mask |= 1 << slot;
    }
    ++place;
  }
}

std::int64_t immediate(const Program& program, const Instruction& i, std::size_t at) {
  if (at >= i.sources.size() || i.sources[at].kind != OperandKind::immediate)
    refuse(program, i, "expected a number, to know which barrier or how many groups");
  return i.sources[at].value;
}

// A register names the barrier in its low bits; the number of threads above them, where it is there too, is
// not looked at: then the second operand is no number, and refused.
constexpr std::uint32_t barrier_mask = 15;

void set_waits(StreamOp& op, const Program& program, const Instruction& i, const InstructionCount& count) {
  if (i.opcode == "UCGABAR_WAIT") return;  // all of the block
  if (op.kind == StreamOpKind::barrier) {
    op.barrier_id =
        static_cast<int>(count.barrier ? *count.barrier & barrier_mask : immediate(program, i, 0));
    if (i.sources.size() > 1) op.barrier_warps = static_cast<int>(immediate(program, i, 1) / warp_lanes);
    op.arrive_only = i.has("ARV");
  }
  if (op.kind == StreamOpKind::wait_groups && i.sources.size() > 1) {
    op.groups = static_cast<int>(immediate(program, i, 1));
  }
}

// The registers of a memory instruction's address, and of what it stores.
void set_memory_operands(StreamOp& op, const Instruction& i) {
  op.address_registers = 0;
  const auto look = [&](const Operand& operand) {
    if (operand.kind == OperandKind::memory && operand.base && *operand.base != zero_register) {
      constexpr int register_bits = 32;
      if (!op.sources[0]) op.sources[0] = *operand.base;
      op.address_registers += operand.base_bits / register_bits;  // a copy has two addresses
    }
    if (operand.kind == OperandKind::vector_register && operand.index != zero_register)
      op.sources[2] = operand.index;
  };
  for (const auto& operand : i.destinations) {
    if (operand.kind == OperandKind::memory) look(operand);
  }
  for (const auto& operand : i.sources)
    look(operand);
}

void set_memory(StreamOp& op, const Instruction& i, const InstructionCount& count) {
  constexpr int bits_per_byte = 8;
  op.width_bytes = std::max(1, i.width_bits / bits_per_byte);
  op.past_l1 = i.op_class == OpClass::async_copy && i.has("BYPASS");
  set_memory_operands(op, i);
  if (count.executed <= 0) return;
  if (count.unknown_addresses > 0) {
    // Addresses that come from memory: those that are not known count as neighbouring lanes' neighbouring
    // words.
    const double bytes = warp_lanes * op.width_bytes * count.unknown_addresses;
    const bool global = op.kind != StreamOpKind::shared_load && op.kind != StreamOpKind::shared_store;
    const bool banks = op.kind != StreamOpKind::global_store;
    op.wavefronts = (count.wavefronts + (banks ? bytes / wavefront_bytes : 0)) / count.executed;
    op.sectors = (count.sectors + (global ? bytes / sector_bytes : 0)) / count.executed;
    op.lines = (count.lines + (global ? bytes / wavefront_bytes : 0)) / count.executed;
    op.by_line = op.written = op.wavefronts;
  } else {
    op.wavefronts = count.wavefronts / count.executed;
    op.by_line = count.by_line / count.executed;
    op.written = count.written / count.executed;
    op.sectors = count.sectors / count.executed;
    op.masks = count.masks / count.executed;
    if (op.kind == StreamOpKind::global_store)
      op.stored_bytes = op.width_bytes * count.threads / count.executed;
    op.joined_packets = count.joined_packets / count.executed;
    op.lone_sectors = count.lone_sectors / count.executed;
    op.lines = count.lines / count.executed;
  }
  if (op.kind == StreamOpKind::cluster_load) {
    op.l1_hit = count.cluster_own / count.cluster;
    op.lanes = count.threads / count.executed;
  }
  if (i.op_class == OpClass::local_load || i.op_class == OpClass::local_store) op.l1_hit = 1;
}

// S16. Local memory, a line of 128 bytes for each word of a warp: stores go through to L2, which keeps them;
// loads ask it for what L1 has not.
void set_local(StreamOp& op, const Instruction& i, double hit) {
  op.local = true;
  op.sectors = sectors_per_line * std::max(1, i.width_bits / 32);
  op.dram_share = 0;
  op.l1_hit = i.op_class == OpClass::local_load ? hit : 0;
  if (i.op_class == OpClass::local_store) op.stored_bytes = sector_bytes * op.sectors;
}

StreamOp make_op(const Program& program, const Instruction& i, const InstructionCount& count) {
  StreamOp op;
  op.kind = stream_kind(program, i, count);
  op.stall = i.control.stall;
  op.yield = i.control.yield;
  op.write_barrier = i.control.write_barrier;
  op.read_barrier = i.control.read_barrier;
  op.wait_mask = i.control.wait_mask;
  switch (op.kind) {
    case StreamOpKind::fp32:
    case StreamOpKind::fp16:
    case StreamOpKind::integer:
    case StreamOpKind::integer_mad:
    case StreamOpKind::integer_wide:
      set_operands(op, i);
      break;
    case StreamOpKind::barrier:
    case StreamOpKind::wait_groups:
      set_waits(op, program, i, count);
      break;
    case StreamOpKind::shared_load:
    case StreamOpKind::shared_store:
    case StreamOpKind::cluster_load:
    case StreamOpKind::global_load:
    case StreamOpKind::global_store:
    case StreamOpKind::async_copy:
      set_memory(op, i, count);
      break;
    default:
      break;
  }
  return op;
}

// What differs from warp to warp although they run the same instructions: the barrier that a register names.
struct WarpTrace {
  std::vector<Visit> path;
  std::map<int, int> barriers;  // by instruction
};

// S7. Whether a branch goes ahead by more than two lines of code.
bool jumps_far(const Instruction& instruction) {
  constexpr std::int64_t instruction_bytes = 16, line_instructions = 8;
  const auto target = branch_target(instruction);
  return target && *target - instruction.offset > 2 * line_instructions * instruction_bytes;
}

// Loads that are looked at for what L1 has: enough for dozens of a loop's trips.
constexpr std::size_t most_logged = 6000, least_logged = 128;

WarpTrace trace_warp(const Executor& executor, BlockIndex block, int warp, Counts& sum, WarpNotes notes) {
  Counts own;
  WarpTrace trace;
  notes.path = &trace.path;
  executor.run_warp(block, warp, own, notes);
  for (std::size_t i = 0; i < own.instructions.size(); ++i) {
    const auto& barrier = own.instructions[i].barrier;
    if (barrier) trace.barriers[static_cast<int>(i)] = static_cast<int>(*barrier & barrier_mask);
  }
  sum += own;
  return trace;
}

// The entries of the table that are this barrier instruction with these barriers, made where they are
// missing.
std::map<int, int> own_entries(InstructionStream& stream, const std::map<int, int>& barriers,
                               std::map<std::pair<int, int>, int>& entries) {
  std::map<int, int> own;
  for (const auto& [instruction, barrier] : barriers) {
    if (stream.ops[static_cast<std::size_t>(instruction)].barrier_id == barrier) continue;
    const auto [entry, is_new] =
        entries.try_emplace({instruction, barrier}, static_cast<int>(stream.ops.size()));
    if (is_new) {
      auto op = stream.ops[static_cast<std::size_t>(instruction)];
      op.barrier_id = barrier;
      stream.ops.push_back(op);
    }
    own[instruction] = entry->second;
  }
  return own;
}

// What one block's warps did.
struct BlockTrace {
  Counts counts;
  std::vector<WarpTrace> warps;
  std::vector<ByteRange> stored;
  std::vector<std::size_t> stored_ends;  // of each warp's
  std::vector<LoadLog> loads;            // of each warp, where L1 is asked for
};

BlockTrace trace_block(const Executor& executor, BlockIndex block, bool log_loads, bool follow) {
  BlockTrace trace;
  SharedWords words;
  FollowedLoops loops;
  trace.loads.resize(log_loads ? static_cast<std::size_t>(executor.warps_per_block()) : 0);
  LoadLog empty{.most = std::max(least_logged, most_logged / std::max<std::size_t>(1, trace.loads.size()))};
  for (int w = 0; w < executor.warps_per_block(); ++w) {
    auto* log = log_loads ? &trace.loads[static_cast<std::size_t>(w)] : nullptr;
    if (log) *log = empty;
    trace.warps.push_back(trace_warp(
        executor, block, w, trace.counts,
        {.stored = &trace.stored, .words = &words, .loads = log, .loops = follow ? &loops : nullptr}));
    // Where one log is full, all end with its last epoch: no more of the warps behind it is needed.
    if (log && log->full()) empty.until = std::min(empty.until, log->accesses.back().epoch);
    trace.stored_ends.push_back(trace.stored.size());
  }
  return trace;
}

void set_stored(InstructionStream& stream, const BlockTrace& trace, const Program& program) {
  stream.stored_run_bytes = mean_run(trace.stored, trace.stored_ends);
  const auto pieces = pieces_of(trace.stored);
  stream.stored_piece_bytes = mean_length(pieces);
  stream.stored_bytes = total_length(pieces);
  stream.stored_again = share_stored_again(pieces, trace.counts, program);
}

// By instruction, the tensor of the first of its accesses that were logged.
std::vector<std::optional<int>> tensors_read(const std::vector<LoadLog>& logs, std::size_t size) {
  std::vector<std::optional<int>> tensors(size);
  for (const auto& log : logs) {
    for (const auto& access : log.accesses) {
      auto& tensor = tensors[static_cast<std::size_t>(access.instruction)];
      if (!tensor && access.count > 0) tensor = static_cast<int>(tensor_of_sector(log.sectors[access.first]));
    }
  }
  return tensors;
}

// An entry for each instruction.
void add_ops(InstructionStream& stream, const BlockTrace& trace, const Program& program, const L1Room& l1) {
  const auto size = program.instructions.size();
  const auto joined = joined_lines(trace.stored, trace.stored_ends, size);
  const auto joined_own = joined_after(trace.stored, trace.stored_ends, size);
  const auto hits = l1_hits(trace.loads, size, l1);
  const auto tensors = tensors_read(trace.loads, size);
  const auto first_constant = first_constants(program, trace.counts);
  for (std::size_t i = 0; i < size; ++i) {
    const auto& instruction = program.instructions[i];
    const auto& count = trace.counts.instructions[i];
    // What no warp reaches is not looked at: it may be anything.
    const bool reached = count.executed > 0;
    auto op = reached ? make_op(program, instruction, count) : StreamOp{};
    op.place = static_cast<int>(i);
    op.first_constant = first_constant[i];
    const bool local =
        instruction.op_class == OpClass::local_load || instruction.op_class == OpClass::local_store;
    if (reached && l1.bytes > 0 && local) {
      set_local(op, instruction, hits.found[i]);
    } else if (op.kind == StreamOpKind::global_load || op.kind == StreamOpKind::async_copy) {
      op.l1_hit = std::max(op.l1_hit, hits.found[i]);
      op.l1_under_way = hits.under_way[i];
      op.l1_new_lines = op.lines * hits.new_lines[i];
      op.tensor = tensors[i];
    }
    op.joined_behind = joined.behind[i];
    op.joined_around = joined.around[i];
    if (joined_own[i] > 0) op.joined_own = joined_own[i] / count.executed;
    op.converges = instruction.opcode == "BSYNC";
    op.far = jumps_far(instruction);
    stream.ops.push_back(op);
  }
}

// A further entry for each branch; by instruction where it is, -1: no branch.
std::vector<int> add_taken_branches(InstructionStream& stream, const Program& program) {
  std::vector<int> taken_op(program.instructions.size(), -1);
  for (std::size_t i = 0; i < taken_op.size(); ++i) {
    if (program.instructions[i].op_class != OpClass::branch) continue;
    auto taken = stream.ops[i];
    taken.taken_branch = true;
    taken_op[i] = static_cast<int>(stream.ops.size());
    stream.ops.push_back(taken);
  }
  return taken_op;
}

// A role for each way through the code that some warp goes.
void add_roles(InstructionStream& stream, const BlockTrace& trace, const Program& program) {
  const auto taken_op = add_taken_branches(stream, program);
  std::map<std::pair<std::vector<int>, std::map<int, int>>, int> roles;  // by path and barriers
  std::map<std::pair<int, int>, int> entries;                            // by instruction and barrier
  for (std::size_t w = 0; w < trace.warps.size(); ++w) {
    const auto& warp = trace.warps[w];
    std::vector<int> blocks;
    for (const auto& visit : warp.path)
      blocks.push_back(visit.block);
    const auto [entry, is_new] =
        roles.try_emplace({blocks, warp.barriers}, static_cast<int>(stream.roles.size()));
    if (is_new) {
      const auto own = own_entries(stream, warp.barriers, entries);
      TraceWriter writer(program, taken_op, own);
      stream.roles.push_back({fmt::format("warp {}", w), writer.write(warp.path)});
    }
    stream.role_of_warp.push_back(entry->second);
  }
}

}  // namespace

InstructionStream make_stream(const Program& program, const Executor& executor, BlockIndex block,
                              const L1Room& l1, bool follow) {
  const auto trace = trace_block(executor, block, l1.bytes > 0, follow);
  InstructionStream stream;
  set_stored(stream, trace, program);
  add_ops(stream, trace, program, l1);
  add_roles(stream, trace, program);
  return stream;
}

std::vector<std::uint64_t> first_loads(const Program& program, const Executor& executor, BlockIndex block) {
  Counts counts;
  LoadLog log{.most = most_logged};
  FollowedLoops loops;
  executor.run_warp(block, 0, counts, {.loads = &log, .loops = &loops});
  std::vector<std::uint64_t> first(program.instructions.size());
  for (const auto& access : log.accesses) {
    const auto i = static_cast<std::size_t>(access.instruction);
    if (program.instructions[i].op_class == OpClass::global_store) continue;
    auto& sector = first[i];
    if (sector == 0 && access.count > 0) sector = log.sectors[access.first];
  }
  return first;
}

}  // namespace tilecast::sass
