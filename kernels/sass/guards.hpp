#pragma once
// Which lanes run an instruction, and what becomes of one whose guard is not known.

#include "kernels/sass/fetch.hpp"

namespace tilecast::sass {

inline bool guard_known(const MicroOp& op, const WarpState& state, LaneMask lanes) {
  const auto flags = fetch_flags(op.guard, state, op.instruction);
  return (flags.known & lanes) == lanes;
}

// A result that depends on data is no harm as long as control and addresses do not depend on it.
inline bool only_a_result(const MicroOp& op, const WarpState& state, LaneMask lanes) {
  return op.guarded && !op.matters && !guard_known(op, state, lanes);
}

// An access to shared memory that depends on data, as of windows whose places are read from a table:
// anything may be there.
inline bool accesses_by_data(const MicroOp& op, const WarpState& state, LaneMask lanes) {
  const auto c = op.op_class;
  const bool accesses = c == OpClass::shared_load || c == OpClass::shared_store || c == OpClass::async_copy;
  return op.guarded && accesses && !guard_known(op, state, lanes);
}

// Lanes of `lanes` whose guard holds; nullopt: that is not known. A global load whose guard depends on what
// memory holds is taken to be made by all: windows over the edge of a map are few.
inline std::optional<LaneMask> guarded_lanes(const MicroOp& op, const WarpState& state, LaneMask lanes) {
  if (!op.guarded) return lanes;
  const auto flags = fetch_flags(op.guard, state, op.instruction);
  if ((flags.known & lanes) != lanes) {
    if (op.op_class == OpClass::global_load) return (lanes & flags.value) | (lanes & ~flags.known);
    return std::nullopt;
  }
  return lanes & flags.value;
}

// Where all lanes have the same, for one of them.
inline void run_operation(const MicroOp& op, WarpState& state, LaneMask lanes) {
  if (!op.run_one || lanes != all_lanes || !same_in_all_lanes(op, state)) return op.run(op, state, lanes);
  state.one_for_all = true;
  op.run_one(op, state, lanes);
  state.one_for_all = false;
}

}  // namespace tilecast::sass
