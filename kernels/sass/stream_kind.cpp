#include "kernels/sass/stream_kind.hpp"

#include <fmt/format.h>

#include "model/support/errors.hpp"

namespace tilecast::sass {
namespace {

[[noreturn]] void refuse(const Program& program, const Instruction& i, std::string_view why) {
  throw InputError(fmt::format("{}: {}: {}", program.entry, describe(i), why));
}

}  // namespace

StreamOpKind stream_kind(const Program& program, const Instruction& i, const InstructionCount& count) {
  switch (i.op_class) {
    case OpClass::ffma:
    case OpClass::fp32:
      return StreamOpKind::fp32;
    case OpClass::fp64:
      return StreamOpKind::fp64;
    case OpClass::fp16:
      return StreamOpKind::fp16;
    case OpClass::integer_mad:
      return i.has("HI") || i.has("WIDE") ? StreamOpKind::integer_wide : StreamOpKind::integer_mad;
    case OpClass::integer:
    case OpClass::move:
      // S2. VIADD, unlike IADD3, runs in the pipe that multiplies integers
      // (experiments/returns_and_pipes.csv).
      return i.opcode == "VIADD" ? StreamOpKind::integer_mad : StreamOpKind::integer;
    case OpClass::conversion:
      return i.opcode == "I2FP" ? StreamOpKind::integer : StreamOpKind::conversion;
    case OpClass::mufu:
      return StreamOpKind::mufu;
    case OpClass::uniform:
      return StreamOpKind::uniform;
    case OpClass::load_constant:
      return StreamOpKind::constant_load;
    case OpClass::special:
      return i.opcode == "S2UR" ? StreamOpKind::uniform_read : StreamOpKind::special;
    case OpClass::shared_load:
      return StreamOpKind::shared_load;
    case OpClass::shared_store:
      return StreamOpKind::shared_store;
    case OpClass::global_load:
      if (count.cluster > 0) {
        if (count.cluster == count.with_lanes) return StreamOpKind::cluster_load;
        refuse(program, i, "reads the cluster's shared memory and other memory");
      }
      return StreamOpKind::global_load;
    case OpClass::local_load:
      return StreamOpKind::global_load;
    case OpClass::global_store:
    case OpClass::local_store:
      return StreamOpKind::global_store;
    case OpClass::async_copy:
      return StreamOpKind::async_copy;
    case OpClass::warp:
      return StreamOpKind::warp_exchange;
    case OpClass::barrier:
      if (i.opcode == "UCGABAR_ARV") return StreamOpKind::cluster_arrive;
      if (i.opcode == "UCGABAR_WAIT") return StreamOpKind::cluster_wait;
      return StreamOpKind::barrier;
    case OpClass::branch:
      return StreamOpKind::control;
    case OpClass::control:
      if (i.opcode == "LDGDEPBAR") return StreamOpKind::commit_group;
      if (i.opcode == "DEPBAR") return StreamOpKind::wait_groups;
      if (i.opcode == "MEMBAR" && (i.has("GPU") || i.has("SYS"))) return StreamOpKind::fence;
      return StreamOpKind::control;
    case OpClass::atomic:
      if (i.opcode == "RED" || i.opcode == "REDG") return StreamOpKind::global_store;
      break;
    case OpClass::tensor:
    case OpClass::bulk_copy:
      break;
  }
  refuse(program, i, "the simulator does not model this instruction");
}

}  // namespace tilecast::sass
