#pragma once
// How a warp went through the code, as the simulator's trace.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernels/sass/execute.hpp"
#include "kernels/sass/flow_graph.hpp"
#include "model/workload/instruction_stream.hpp"

namespace tilecast::sass {

// A warp's path as lines of a trace, nested by the program's natural loops; neighbouring equal trips are one
// line.
class TraceWriter {
 public:
  TraceWriter(const Program& program, const std::vector<int>& taken_op, const std::map<int, int>& replaced)
      : program_(program), replaced_(replaced), taken_op_(taken_op), chains_(program.blocks.size()) {
    for (std::size_t b = 0; b < chains_.size(); ++b) {
      for (auto loop = program.blocks[b].loop; loop;
           loop = program.loops[static_cast<std::size_t>(*loop)].parent)
        chains_[b].push_back(*loop);
    }
    for (const auto& loop : program.loops) {
      const auto first = program.blocks[static_cast<std::size_t>(loop.header)].first;
      names_.push_back(
          fmt::format("loop at {:#x}", program.instructions[static_cast<std::size_t>(first)].offset));
    }
  }

  std::vector<TraceStep> write(const std::vector<Visit>& path) {
    open_.push_back({});  // the kernel itself
    for (std::size_t i = 0; i < path.size(); ++i) {
      const int block = path[i].block;
      enter(block);
      visit(block, i + 1 < path.size() && path[i + 1].block != block + 1);
    }
    while (open_.size() > 1)
      close();
    return std::move(open_.front().body);
  }

 private:
  struct OpenLoop {
    int loop = -1;
    std::vector<TraceStep> body;    // of the trip at hand
    std::vector<TraceStep> groups;  // of the trips before
    int group_count = 0;
    std::size_t last_group = 0;  // line of the last of them
  };

  const std::string& name_of(int loop) const { return names_[static_cast<std::size_t>(loop)]; }

  // Leaves the loops that the block is not in, and enters the others; at a header another trip begins.
  void enter(int block) {
    const auto& chain = chains_[static_cast<std::size_t>(block)];
    const auto contains = [&](int loop) { return std::ranges::find(chain, loop) != chain.end(); };
    while (open_.size() > 1 && !contains(open_.back().loop))
      close();
    const auto depth = open_.size() - 1;
    if (depth == chain.size()) {
      if (depth > 0 && program_.loops[static_cast<std::size_t>(chain.front())].header == block) {
        end_trip(open_.back());
        closed_ = 0;
      }
      return;
    }
    for (std::size_t d = depth; d < chain.size(); ++d)
      open_.push_back({.loop = chain[chain.size() - 1 - d]});
    closed_ = 0;
  }

  void end_trip(OpenLoop& open) const {
    if (open.body.empty()) return;
    if (open.group_count > 0) {
      auto& last = open.groups[open.last_group];
      if (std::ranges::equal(open.groups.begin() + static_cast<std::ptrdiff_t>(open.last_group) + 1,
                             open.groups.end(), open.body.begin(), open.body.end())) {
        ++last.trips;
        open.body.clear();
        return;
      }
    }
    open.last_group = open.groups.size();
    ++open.group_count;
    open.groups.push_back(loop_step(static_cast<std::int32_t>(open.body.size()), 1, name_of(open.loop)));
    std::ranges::move(open.body, std::back_inserter(open.groups));
    open.body.clear();
  }

  void close() {
    auto done = std::move(open_.back());
    open_.pop_back();
    end_trip(done);
    auto& out = open_.back();
    if (done.group_count > 1)
      out.body.push_back(
          varying_loop_step(static_cast<std::int32_t>(done.groups.size()), name_of(done.loop)));
    std::ranges::move(done.groups, std::back_inserter(out.body));
    closed_ = out.body.size();
  }

  // A run must not grow into a loop in front of it, nor a trip into the one before.
  void run(int first, int count) {
    if (count <= 0) return;
    auto& out = open_.back().body;
    if (!out.empty() && out.size() > closed_ && out.back().kind == TraceStep::Kind::run &&
        out.back().first + out.back().count == first) {
      out.back().count += count;
    } else {
      out.push_back(run_step(first, count));
      closed_ = out.size() - 1;
    }
  }

  void visit(int block, bool jumps) {
    const auto& b = program_.blocks[static_cast<std::size_t>(block)];
    const bool is_branch =
        program_.instructions[static_cast<std::size_t>(b.last - 1)].op_class == OpClass::branch;
    const int taken_op = jumps && is_branch ? taken_op_[static_cast<std::size_t>(b.last - 1)] : -1;
    const int end = b.last - (taken_op >= 0 ? 1 : 0);
    int first = b.first;
    for (auto own = replaced_.lower_bound(first); own != replaced_.end() && own->first < end; ++own) {
      run(first, own->first - first);
      run(own->second, 1);
      first = own->first + 1;
    }
    run(first, end - first);
    if (taken_op >= 0) run(taken_op, 1);
  }

  const Program& program_;
  const std::map<int, int>& replaced_;    // by instruction: the warp's own entry
  const std::vector<int>& taken_op_;      // by instruction: the entry for when it is taken; -1: no branch
  std::vector<std::string> names_;        // of loops
  std::vector<std::vector<int>> chains_;  // by block: the loops it is in, innermost first
  std::vector<OpenLoop> open_;
  std::size_t closed_ = 0;  // lines of the innermost body up to here must not grow
};

}  // namespace tilecast::sass
