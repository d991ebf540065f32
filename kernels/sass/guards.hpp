#pragma once
// Which lanes run an instruction, and how unknown guards are handled.

#include "kernels/sass/fetch.hpp"

namespace tilecast::sass {

inline bool guard_known(const MicroOp& op, const WarpState& state, LaneMask lanes) {
  const auto flags = fetch_flags(op.guard, state, op.instruction);
  return (flags.known & lanes) == lanes;
}

// An unknown guard is harmless where neither control nor addresses depend on the result.
inline bool only_a_result(const MicroOp& op, const WarpState& state, LaneMask lanes) {
  return op.guarded && !op.matters && !guard_known(op, state, lanes);
}

// A shared-memory access whose guard depends on data, such as windows at places read from a table: its result
// may be anything.
inline bool accesses_by_data(const MicroOp& op, const WarpState& state, LaneMask lanes) {
  const auto c = op.op_class;
  const bool accesses = c == OpClass::shared_load || c == OpClass::shared_store || c == OpClass::async_copy;
  return op.guarded && accesses && !guard_known(op, state, lanes);
}

// Lanes of `lanes` whose guard holds; nullopt: unknown. A global load whose guard depends on loaded values
// counts as made by all lanes: windows over the edge of a map are few.
inline std::optional<LaneMask> guarded_lanes(const MicroOp& op, const WarpState& state, LaneMask lanes) {
  if (!op.guarded) return lanes;
  const auto flags = fetch_flags(op.guard, state, op.instruction);
  if ((flags.known & lanes) != lanes) {
    if (op.op_class == OpClass::global_load) return (lanes & flags.value) | (lanes & ~flags.known);
    return std::nullopt;
  }
  return lanes & flags.value;
}

// Calculates one lane for all where no source differs between lanes.
inline void run_operation(const MicroOp& op, WarpState& state, LaneMask lanes) {
  if (!op.run_one || lanes != all_lanes || !same_in_all_lanes(op, state)) return op.run(op, state, lanes);
  state.one_for_all = true;
  op.run_one(op, state, lanes);
  state.one_for_all = false;
}

}  // namespace tilecast::sass
