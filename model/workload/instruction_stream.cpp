#include "model/workload/instruction_stream.hpp"

#include <fmt/format.h>

#include <functional>

namespace tilecast {
namespace {

constexpr int scoreboards = 6;
constexpr int max_stall = 15;  // four bits
constexpr int max_barrier = 15;

std::string op_problem(const StreamOp& op) {
  const auto is_scoreboard = [](const std::optional<int>& b) { return !b || (*b >= 0 && *b < scoreboards); };
  if (op.stall < 0 || op.stall > max_stall) return fmt::format("stall {}, expected 0 to 15", op.stall);
  if (!is_scoreboard(op.write_barrier) || !is_scoreboard(op.read_barrier))
    return "a barrier of the control field is not 0 to 5";
  if (op.wait_mask < 0 || op.wait_mask >= 1 << scoreboards)
    return fmt::format("wait mask {}, expected 0 to 63", op.wait_mask);
  for (const auto& source : op.sources) {
    if (source && (*source < 0 || *source > 254))
      return fmt::format("register {}, expected 0 to 254", *source);
  }
  if (op.wavefronts < 0 || op.sectors < 0) return "negative wavefronts or sectors";
  if (op.width_bytes < 1 || op.width_bytes > 16)
    return fmt::format("access of {} bytes a thread, expected 1 to 16", op.width_bytes);
  if (op.address_registers < 0 || op.address_registers > 4)
    return fmt::format("{} address registers, expected 0 to 4", op.address_registers);
  if (op.l1_hit < 0 || op.l1_hit > 1) return fmt::format("l1_hit {}, expected 0 to 1", op.l1_hit);
  if (op.dram_share && (*op.dram_share < 0 || *op.dram_share > 1))
    return fmt::format("dram_share {}, expected 0 to 1", *op.dram_share);
  if (op.groups < 0) return fmt::format("{} groups, expected 0 or more", op.groups);
  if (op.barrier_id < 0 || op.barrier_id > max_barrier)
    return fmt::format("barrier {}, expected 0 to 15", op.barrier_id);
  if (op.barrier_warps && *op.barrier_warps < 1)
    return fmt::format("barrier of {} warps, expected 1 or more", *op.barrier_warps);
  return {};
}

// `end`: first line behind the loop that this line is in.
std::string step_problem(const TraceStep& step, std::size_t line, std::size_t end, std::size_t ops) {
  if (step.count < 0) return fmt::format("count {}, expected 0 or more", step.count);
  if (step.kind == TraceStep::Kind::run) {
    if (step.first < 0 || static_cast<std::size_t>(step.first) + static_cast<std::size_t>(step.count) > ops)
      return fmt::format("operations {} to {}, expected 0 to {}", step.first, step.first + step.count, ops);
    return {};
  }
  if (step.trips < 0) return fmt::format("{} trips, expected 0 or more", step.trips);
  if (line + 1 + static_cast<std::size_t>(step.count) > end)
    return fmt::format("a loop over {} lines ends behind the {} that are there", step.count, end - line - 1);
  return {};
}

std::string trace_problem(const std::vector<TraceStep>& trace, std::size_t begin, std::size_t end,
                          std::size_t ops) {
  for (std::size_t i = begin; i < end; ++i) {
    if (auto problem = step_problem(trace[i], i, end, ops); !problem.empty())
      return fmt::format("trace[{}]: {}", i, problem);
    if (trace[i].kind == TraceStep::Kind::run) continue;
    const auto inner_end = i + 1 + static_cast<std::size_t>(trace[i].count);
    if (trace[i].kind == TraceStep::Kind::varying) {
      for (auto inner = i + 1; inner < inner_end; inner += 1 + static_cast<std::size_t>(trace[inner].count)) {
        if (trace[inner].kind != TraceStep::Kind::loop || trace[inner].count < 0)
          return fmt::format("trace[{}]: expected a loop, some trips of trace[{}]", inner, i);
      }
    }
    if (auto problem = trace_problem(trace, i + 1, inner_end, ops); !problem.empty()) return problem;
    i = inner_end - 1;
  }
  return {};
}

// Summed over the operations that a block's warps issue.
double issued(const InstructionStream& stream, const std::vector<int>& role_of_warp,
              const std::function<double(const StreamOp&)>& of_each) {
  std::vector<double> before(stream.ops.size() + 1, 0.0);  // of the operations in front
  for (std::size_t i = 0; i < stream.ops.size(); ++i)
    before[i + 1] = before[i] + of_each(stream.ops[i]);
  const std::function<double(const std::vector<TraceStep>&, std::size_t, std::size_t)> lines =
      [&](const std::vector<TraceStep>& trace, std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t i = begin; i < end; ++i) {
          const auto& step = trace[i];
          const auto first = static_cast<std::size_t>(step.first),
                     count = static_cast<std::size_t>(step.count);
          if (step.kind == TraceStep::Kind::run) {
            sum += before[first + count] - before[first];
          } else {
            sum += static_cast<double>(step.trips) * lines(trace, i + 1, i + 1 + count);
            i += count;
          }
        }
        return sum;
      };
  double sum = 0;
  for (const int role : role_of_warp) {
    const auto& trace = stream.roles[static_cast<std::size_t>(role)].trace;
    sum += lines(trace, 0, trace.size());
  }
  return sum;
}

}  // namespace

std::string stream_problem(const InstructionStream& stream) {
  for (std::size_t i = 0; i < stream.ops.size(); ++i) {
    if (auto problem = op_problem(stream.ops[i]); !problem.empty())
      return fmt::format("ops[{}]: {}", i, problem);
  }
  for (const auto& role : stream.roles) {
    if (auto problem = trace_problem(role.trace, 0, role.trace.size(), stream.ops.size()); !problem.empty())
      return fmt::format("role '{}': {}", role.name, problem);
  }
  if (stream.role_of_warp.empty()) return "no warps";
  const auto role_problem = [&](const std::vector<int>& role_of_warp) -> std::string {
    for (std::size_t w = 0; w < role_of_warp.size(); ++w) {
      const int role = role_of_warp[w];
      if (role < 0 || static_cast<std::size_t>(role) >= stream.roles.size())
        return fmt::format("warp {}: role {}, expected 0 to {}", w, role, stream.roles.size());
    }
    return {};
  };
  if (auto problem = role_problem(stream.role_of_warp); !problem.empty()) return problem;
  for (const auto& edge : stream.edges) {
    if (edge.role_of_warp.size() != stream.role_of_warp.size())
      return fmt::format("edge: {} warps, expected {}", edge.role_of_warp.size(), stream.role_of_warp.size());
    if (edge.rows < 1 || edge.row_blocks < 1)
      return fmt::format("edge: {} rows of {} blocks, expected 1 or more", edge.rows, edge.row_blocks);
    if (auto problem = role_problem(edge.role_of_warp); !problem.empty()) return problem;
  }
  return {};
}

namespace {

// Takes over another stream's operations and roles; its warps' roles as this one's.
std::vector<int> add_roles(InstructionStream& stream, const InstructionStream& other) {
  const auto ops = static_cast<std::int32_t>(stream.ops.size());
  const auto roles = static_cast<int>(stream.roles.size());
  stream.ops.insert(stream.ops.end(), other.ops.begin(), other.ops.end());
  for (auto role : other.roles) {
    for (auto& step : role.trace) {
      if (step.kind == TraceStep::Kind::run) step.first += ops;
    }
    stream.roles.push_back(std::move(role));
  }
  auto role_of_warp = other.role_of_warp;
  for (int& role : role_of_warp)
    role += roles;
  return role_of_warp;
}

}  // namespace

void add_edge(InstructionStream& stream, const InstructionStream& edge, std::int64_t rows,
              std::int64_t row_blocks) {
  stream.edges.push_back({add_roles(stream, edge), rows, row_blocks, edge.stored_bytes});
}

double issued_instructions(const InstructionStream& stream) {
  return issued(stream, stream.role_of_warp, [](const StreamOp&) { return 1; });
}

double issued_instructions(const InstructionStream& stream, StreamOpKind kind) {
  return issued(stream, stream.role_of_warp, [kind](const StreamOp& op) { return op.kind == kind ? 1 : 0; });
}

namespace {

template <class Counts>
double mean_sectors(const InstructionStream& stream, const Counts& counts) {
  const auto of_block = [&](const std::vector<int>& role_of_warp) {
    return issued(stream, role_of_warp, [&counts](const StreamOp& op) {
      const bool reads = op.kind == StreamOpKind::global_load || op.kind == StreamOpKind::async_copy;
      return reads && counts(op) ? (1 - op.l1_hit) * op.sectors : 0;
    });
  };
  const double usual = of_block(stream.role_of_warp);
  double mean = usual;
  for (const auto& edge : stream.edges)
    mean += (of_block(edge.role_of_warp) - usual) / static_cast<double>(edge.rows);
  return mean;
}

}  // namespace

double sectors_read(const InstructionStream& stream) {
  return mean_sectors(stream, [](const StreamOp&) { return true; });
}

double global_sectors_read(const InstructionStream& stream) {
  return mean_sectors(stream, [](const StreamOp& op) { return !op.local; });
}

double global_sectors_read(const InstructionStream& stream, int tensor) {
  return mean_sectors(stream, [tensor](const StreamOp& op) { return op.tensor == tensor; });
}

}  // namespace tilecast
