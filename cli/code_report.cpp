#include "cli/code_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/table.hpp"

namespace tilecast {
namespace {

using sass::Counts;
using sass::Instruction;
using sass::OpClass;
using sass::Program;

const Instruction& instruction(const Program& program, int i) {
  return program.instructions[static_cast<std::size_t>(i)];
}

const sass::BasicBlock& block(const Program& program, int b) {
  return program.blocks[static_cast<std::size_t>(b)];
}

std::vector<LoopTrips> loop_trips(const Program& program, const std::vector<sass::Visit>& path) {
  std::vector<LoopTrips> loops;
  for (int l = 0; l < static_cast<int>(program.loops.size()); ++l) {
    const auto& loop = program.loops[static_cast<std::size_t>(l)];
    LoopTrips trips{.loop = l};
    double visits = 0;
    bool inside = false;
    for (const auto& visit : path) {
      const bool now = std::ranges::binary_search(loop.blocks, visit.block);
      if (visit.block == loop.header) {
        visits += 1;
        if (!inside) trips.entries += 1;
      }
      inside = now;
    }
    if (trips.entries > 0) trips.trips = visits / trips.entries;
    loops.push_back(trips);
  }
  return loops;
}

ResultTable mix_table(const CodeReport& report) {
  ResultTable table({{"class", "class"},
                     {"instructions", "in the code"},
                     {"executed", "issued", 9},
                     {"share", "share [%]", 4, 0.01},
                     {"threads", "threads", 9},
                     {"wavefronts", "wavefronts", 9},
                     {"sectors", "sectors", 9}});
  const auto& counts = report.grid.counts;
  double all = 0;
  for (const auto& count : counts.instructions)
    all += count.executed;
  for (int c = 0; c < sass::op_class_count; ++c) {
    const auto op_class = static_cast<OpClass>(c);
    const auto in_code = std::ranges::count(report.program->instructions, op_class, &Instruction::op_class);
    if (in_code == 0) continue;
    const auto sum = of_class(*report.program, counts, op_class);
    const auto positive = [](double value) { return value > 0 ? Cell{value} : Cell{}; };
    table.add({std::string(op_class_name(op_class)), std::int64_t{in_code}, sum.executed, sum.executed / all,
               sum.threads, positive(sum.wavefronts), positive(sum.sectors)});
  }
  return table;
}

int in_loop(const CodeReport& report, const sass::Loop& loop, OpClass op_class) {
  int count = 0;
  for (const int b : loop.blocks) {
    for (int i = block(*report.program, b).first; i < block(*report.program, b).last; ++i)
      count += instruction(*report.program, i).op_class == op_class;
  }
  return count;
}

ResultTable loop_table(const CodeReport& report) {
  ResultTable table({{"offset", "loop at"},
                     {"depth", ""},
                     {"instructions", ""},
                     {"ffma", ""},
                     {"shared_loads", "shared loads"},
                     {"entries", "entries", 6},
                     {"trips", "trips an entry", 6}});
  for (const auto& trips : report.loops) {
    const auto& loop = report.program->loops[static_cast<std::size_t>(trips.loop)];
    std::int64_t size = 0;
    for (const int b : loop.blocks)
      size += block(*report.program, b).last - block(*report.program, b).first;
    const int first = block(*report.program, loop.header).first;
    table.add({fmt::format("{:#x}", instruction(*report.program, first).offset), std::int64_t{loop.depth},
               size, std::int64_t{in_loop(report, loop, OpClass::ffma)},
               std::int64_t{in_loop(report, loop, OpClass::shared_load)}, trips.entries, trips.trips});
  }
  return table;
}

std::string barrier_text(std::optional<int> barrier) {
  return barrier ? std::to_string(*barrier) : "-";
}

std::string wait_text(int mask) {
  std::string text;
  for (int i = 0; i < 6; ++i)
    text += mask >> i & 1 ? static_cast<char>('0' + i) : '-';
  return text;
}

std::string registers_text(const Instruction& code) {
  const auto list = [](const std::bitset<256>& set, const char* prefix) {
    std::string text;
    for (std::size_t i = 0; i < set.size(); ++i) {
      if (set.test(i)) text += fmt::format("{}{}{}", text.empty() ? "" : " ", prefix, i);
    }
    return text;
  };
  return fmt::format("{} <- {}", list(registers_written(code).vector, "R"),
                     list(registers_read(code).vector, "R"));
}

ResultTable listing_table(const CodeReport& report) {
  ResultTable table({{"offset", ""},
                     {"block", ""},
                     {"executed", "issued", 9},
                     {"wait_mask", "waits"},
                     {"read_barrier", "read"},
                     {"write_barrier", "write"},
                     {"yield", ""},
                     {"stall_cycles", "stall"},
                     {"reuse_mask", "reuse"},
                     {"mnemonic", "instruction"},
                     {"class", ""},
                     {"registers", ""}});
  for (int b = 0; b < static_cast<int>(report.program->blocks.size()); ++b) {
    for (int i = block(*report.program, b).first; i < block(*report.program, b).last; ++i) {
      const auto& code = instruction(*report.program, i);
      const auto& control = code.control;
      table.add({fmt::format("{:#06x}", code.offset), std::int64_t{b},
                 report.grid.counts.instructions[static_cast<std::size_t>(i)].executed,
                 wait_text(control.wait_mask), barrier_text(control.read_barrier),
                 barrier_text(control.write_barrier), std::string(control.yield ? "Y" : "-"),
                 std::int64_t{control.stall}, std::int64_t{control.reuse_mask}, code.mnemonic(),
                 std::string(op_class_name(code.op_class)), registers_text(code)});
    }
  }
  return table;
}

nlohmann::ordered_json rows_of(const ResultTable& table) {
  return nlohmann::ordered_json::parse(table.json());
}

}  // namespace

CodeReport code_report(const sass::Program& program, const LaunchPlan& plan) {
  const sass::Executor executor(program, plan);
  CodeReport report{.program = &program, .plan = plan, .grid = count_grid(executor, plan)};
  Counts counts;
  std::vector<sass::Visit> path;
  executor.run_warp({plan.grid_x / 2, plan.grid_y / 2, plan.grid_z / 2}, 0, counts, {.path = &path});
  report.loops = loop_trips(program, path);
  return report;
}

std::string code_text(const CodeReport& report, bool with_listing) {
  const auto& program = *report.program;
  auto text = fmt::format(
      "{} for {}: {} instructions, {} blocks, {} loops\n"
      "grid {} x {} x {} of {} threads, {} of {} blocks executed\n\n",
      report.plan.code.key(), program.target, program.instructions.size(), program.blocks.size(),
      program.loops.size(), report.plan.grid_x, report.plan.grid_y, report.plan.grid_z, report.plan.threads,
      report.grid.executed_blocks, report.grid.blocks);
  text += mix_table(report).text();
  if (!report.loops.empty()) text += "\n" + loop_table(report).text();
  if (with_listing) text += "\n" + listing_table(report).text();
  return text;
}

std::string code_json(const CodeReport& report, bool with_listing) {
  const auto& program = *report.program;
  nlohmann::ordered_json json;
  json["code"] = report.plan.code.key();
  json["target"] = program.target;
  json["instructions"] = program.instructions.size();
  json["basic_blocks"] = program.blocks.size();
  json["grid"] = {report.plan.grid_x, report.plan.grid_y, report.plan.grid_z};
  json["threads"] = report.plan.threads;
  json["blocks"] = report.grid.blocks;
  json["blocks_executed"] = report.grid.executed_blocks;
  json["mix"] = rows_of(mix_table(report));
  json["loops"] = rows_of(loop_table(report));
  if (with_listing) json["listing"] = rows_of(listing_table(report));
  return json.dump(2) + "\n";
}

}  // namespace tilecast
