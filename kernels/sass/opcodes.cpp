#include "kernels/sass/opcodes.hpp"

#include <algorithm>
#include <array>

namespace tilecast::sass {
namespace {

using enum OpClass;

// Sorted by name. Meanings: the instruction set reference of the CUDA Binary Utilities manual; destinations
// as nvdisasm prints them.
constexpr OpcodeInfo table[] = {
    {"ACQBULK", bulk_copy, 0, 0},
    {"ATOM", atomic, 1, 1},
    {"ATOMG", atomic, 1, 1},
    {"ATOMS", atomic, 0, 1},
    {"BAR", barrier, 0, 0},
    {"BMOV", control, 0, 1},
    {"BMSK", integer, 0, 1},
    {"BPT", control, 0, 0},
    {"BRA", branch, 0, 0},
    {"BREAK", control, 0, 0},
    {"BREV", integer, 0, 1},
    {"BSSY", control, 0, 0},
    {"BSYNC", control, 0, 0},
    {"CALL", branch, 0, 0},
    {"CCTL", control, 0, 0},
    {"CGAERRBAR", control, 0, 0},
    {"CS2R", special, 0, 1},
    {"CS2UR", special, 0, 1},
    {"DADD", fp64, 0, 1},
    {"DEPBAR", control, 0, 0},
    {"DFMA", fp64, 0, 1},
    {"DMUL", fp64, 0, 1},
    {"DSETP", fp64, 2, 0},
    {"ELECT", special, 1, 1},
    {"ENDCOLLECTIVE", control, 0, 0},
    {"ERRBAR", control, 0, 0},
    {"EXIT", branch, 0, 0},
    {"F2F", conversion, 0, 1},
    {"F2FP", conversion, 0, 1},
    {"F2I", conversion, 0, 1},
    {"F2IP", conversion, 0, 1},
    {"FADD", fp32, 0, 1},
    {"FADD2", fp32, 0, 1},
    {"FCHK", fp32, 1, 0},
    {"FENCE", control, 0, 0},
    {"FFMA", ffma, 0, 1},
    {"FFMA2", ffma, 0, 1},
    {"FLO", conversion, 0, 1, 1},
    {"FMNMX", fp32, 0, 1},
    {"FMUL", fp32, 0, 1},
    {"FMUL2", fp32, 0, 1},
    {"FRND", conversion, 0, 1},
    {"FSEL", fp32, 0, 1},
    {"FSET", fp32, 0, 1},
    {"FSETP", fp32, 2, 0},
    {"HADD2", fp16, 0, 1},
    {"HFMA2", fp16, 0, 1},
    {"HMMA", tensor, 0, 1},
    {"HMUL2", fp16, 0, 1},
    {"HSETP2", fp16, 2, 0},
    {"I2F", conversion, 0, 1},
    {"I2FP", conversion, 0, 1},
    {"I2IP", conversion, 0, 1},
    {"IABS", integer, 0, 1},
    {"IADD", integer, 0, 1, 2},
    {"IADD3", integer, 0, 1, 2},
    {"IDP", integer_mad, 0, 1},
    {"IMAD", integer_mad, 0, 1, 1},
    {"IMNMX", integer, 2, 1},
    {"ISETP", integer, 2, 0},
    {"KILL", branch, 0, 0},
    {"LD", global_load, 0, 1},
    {"LDC", load_constant, 0, 1},
    {"LDCU", load_constant, 0, 1},
    {"LDG", global_load, 1, 1},
    {"LDGDEPBAR", control, 0, 0},
    {"LDGSTS", async_copy, 0, 0},
    {"LDL", local_load, 0, 1},
    {"LDS", shared_load, 0, 1},
    {"LDSM", shared_load, 0, 1},
    {"LEA", integer, 0, 1, 1},
    {"LEPC", special, 0, 1},
    {"LOP3", integer, 1, 1},
    {"MATCH", warp, 1, 1},
    {"MEMBAR", control, 0, 0},
    {"MOV", move, 0, 1},
    {"MUFU", mufu, 0, 1},
    {"NANOSLEEP", control, 0, 0},
    {"NOP", control, 0, 0},
    {"P2R", integer, 0, 1},
    {"PLOP3", integer, 2, 0},
    {"POPC", conversion, 0, 1},
    {"PREEXIT", control, 0, 0},
    {"PRMT", integer, 0, 1},
    {"R2P", integer, 1, 0},
    {"R2UR", move, 1, 1},
    {"RED", atomic, 0, 0},
    {"REDG", atomic, 0, 0},
    {"REDUX", warp, 0, 1},
    {"RET", branch, 0, 0},
    {"S2R", special, 0, 1},
    {"S2UR", special, 0, 1},
    {"SEL", integer, 0, 1},
    {"SGXT", integer, 0, 1},
    {"SHF", integer, 0, 1},
    {"SHFL", warp, 1, 1},
    {"ST", global_store, 0, 0},
    {"STG", global_store, 0, 0},
    {"STL", local_store, 0, 0},
    {"STS", shared_store, 0, 0},
    {"SYNCS", bulk_copy, 1, 1},
    {"UBLKCP", bulk_copy, 0, 0},
    {"UBLKPF", bulk_copy, 0, 0},
    {"UBMSK", uniform, 0, 1},
    {"UBREV", uniform, 0, 1},
    {"UCGABAR_ARV", barrier, 0, 0},
    {"UCGABAR_WAIT", barrier, 0, 0},
    {"UF2I", uniform, 0, 1},
    {"UFLO", uniform, 0, 1, 1},
    {"UI2F", uniform, 0, 1},
    {"UI2FP", uniform, 0, 1},
    {"UIADD3", uniform, 0, 1, 2},
    {"UIMAD", uniform, 0, 1, 1},
    {"UIMNMX", uniform, 2, 1},
    {"UISETP", uniform, 2, 0},
    {"ULDC", load_constant, 0, 1},
    {"ULEA", uniform, 0, 1, 1},
    {"ULOP3", uniform, 1, 1},
    {"UMOV", uniform, 0, 1},
    {"UP2UR", uniform, 0, 1},
    {"UPLOP3", uniform, 2, 0},
    {"UPOPC", uniform, 0, 1},
    {"UPRMT", uniform, 0, 1},
    {"UR2UP", uniform, 1, 0},
    {"USEL", uniform, 0, 1},
    {"USGXT", uniform, 0, 1},
    {"USHF", uniform, 0, 1},
    {"UTMACMDFLUSH", bulk_copy, 0, 0},
    {"UTMALDG", bulk_copy, 0, 0},
    {"UTMASTG", bulk_copy, 0, 0},
    {"UVIADD", uniform, 0, 1},
    {"UVIMNMX", uniform, 0, 1, 2},
    {"VIADD", integer, 0, 1},
    {"VIADDMNMX", integer, 0, 1, 2},
    {"VIMNMX", integer, 0, 1, 2},
    {"VIMNMX3", integer, 0, 1},
    {"VOTE", warp, 1, 1, 1},
    {"VOTEU", warp, 1, 1, 1},
    {"WARPSYNC", control, 0, 0},
    {"YIELD", control, 0, 0},
};

constexpr std::array<std::string_view, op_class_count> class_names = {
    "ffma",        "fp32",        "fp64",         "fp16",        "tensor",       "integer_mad",
    "integer",     "conversion",  "mufu",         "move",        "uniform",      "load_constant",
    "special",     "shared_load", "shared_store", "global_load", "global_store", "local_load",
    "local_store", "async_copy",  "bulk_copy",    "atomic",      "warp",         "barrier",
    "branch",      "control"};

}  // namespace

std::string_view op_class_name(OpClass op_class) {
  return class_names[static_cast<std::size_t>(op_class)];
}

std::span<const OpcodeInfo> opcodes() {
  return table;
}

const OpcodeInfo* find_opcode(std::string_view name) {
  static_assert(std::ranges::is_sorted(table, {}, &OpcodeInfo::name));
  const auto* found = std::ranges::lower_bound(table, name, {}, &OpcodeInfo::name);
  return found == std::end(table) || found->name != name ? nullptr : found;
}

}  // namespace tilecast::sass
