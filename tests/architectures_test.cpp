// The families on every architecture that this NVRTC compiles for: what a family says can run compiles, its
// listing is read and executed, and the launch makes the multiply-adds that the description counts. Needs
// NVRTC and nvdisasm, no GPU.

#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "kernels/family.hpp"
#include "kernels/runtime/compile.hpp"
#include "kernels/sass/constant_bank.hpp"
#include "kernels/sass/disassemble.hpp"
#include "kernels/sass/execute.hpp"
#include "model/device/load.hpp"
#include "model/support/errors.hpp"
#include "tests/catch.hpp"

using namespace tilecast;

namespace {

struct Case {
  std::string_view family;
  ConvShape shape;
  Config config;
};

Config single(std::int64_t method, std::int64_t P, std::int64_t Q, std::int64_t grid_m, std::int64_t grid_y,
              std::int64_t load_bytes, std::int64_t loads_in_flight) {
  return {{"method", method},
          {"P", P},
          {"Q", Q},
          {"grid_m", grid_m},
          {"grid_y", grid_y},
          {"threads", 128},
          {"load_bytes", load_bytes},
          {"loads_in_flight", loads_in_flight}};
}

Config tile(std::int64_t BK, std::int64_t async, std::int64_t stages, std::int64_t split_k) {
  return {{"BM", 32}, {"BN", 64},       {"BK", BK},         {"TM", 4},
          {"TN", 4},  {"async", async}, {"stages", stages}, {"split_k", split_k}};
}

// Every way of a family to fetch and to divide, on small layers with edges.
std::vector<Case> cases() {
  const ConvShape map{.N = 2, .C = 1, .H = 21, .W = 30, .M = 10, .K = 3};
  const ConvShape channels{.N = 2, .C = 20, .H = 11, .W = 13, .M = 26, .K = 3};
  const ConvShape pixels{.N = 1, .C = 24, .H = 10, .W = 10, .M = 40, .K = 1};
  const auto product = gemm_shape(50, 70, 100);
  return {{"chang_single", map, single(1, 2, 1, 5, 1, 16, 0)},
          {"chang_single", map, single(2, 1, 3, 1, 4, 16, 0)},
          {"chang_single", map, single(3, 1, 1, 3, 4, 16, 0)},
          {"chang_single", map, single(3, 2, 1, 2, 3, 8, 2)},
          {"chang_single", map, single(1, 3, 1, 4, 1, 4, 1)},
          {"chang_multi", channels, {{"S_bytes", 32}, {"M_tile", 16}, {"Wx_tile", 64}}},
          {"chang_multi", pixels, {{"S_bytes", 64}, {"M_tile", 24}, {"Wx_tile", 32}}},
          {"sgemm", product, tile(8, 0, 2, 1)},
          {"sgemm", product, tile(16, 0, 1, 2)},
          {"sgemm", product, tile(8, 1, 3, 4)},
          {"implicit_gemm", channels, tile(8, 0, 1, 1)},
          {"implicit_gemm", channels, tile(16, 1, 2, 1)},
          {"implicit_gemm", channels, tile(16, 1, 3, 2)}};
}

// The same GPU with another architecture: what limits a config is what its code uses.
DeviceProfile device_of(Architecture target) {
  auto device = load_device("h200");
  device.compute_capability_major = target.major;
  device.compute_capability_minor = target.minor;
  return device;
}

// From sm_75 on, of these major versions; none, with a warning, where a tool is missing.
std::vector<Architecture> known_architectures(int first_major, int last_major) {
  try {
    sass::find_disassembler();
    auto all = compiler_architectures();
    std::erase_if(all, [&](Architecture a) {
      return a.major < first_major || a.major > last_major || 10 * a.major + a.minor < 75;
    });
    return all;
  } catch (const UnavailableError& error) {
    WARN("skipped: " << error.what());
    return {};
  }
}

sass::Counts execute_all(const sass::Program& program, const LaunchPlan& plan) {
  const sass::Executor executor(program, plan);
  sass::Counts counts;
  for (std::int64_t z = 0; z < plan.grid_z; ++z) {
    for (std::int64_t y = 0; y < plan.grid_y; ++y) {
      for (std::int64_t x = 0; x < plan.grid_x; ++x)
        counts += execute_block(executor, {x, y, z});
    }
  }
  return counts;
}

// What a launch must do wherever it runs, from the instructions of some classes.
struct ByClass {
  double fmas = 0, stored_words = 0, cluster_barriers = 0;
};

ByClass by_class(const sass::Program& program, const sass::Counts& counts) {
  ByClass sum;
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    const auto& code = program.instructions[i];
    const auto& count = counts.instructions[i];
    if (code.op_class == sass::OpClass::ffma) sum.fmas += count.threads * (code.opcode == "FFMA2" ? 2 : 1);
    if (code.op_class == sass::OpClass::global_store)
      sum.stored_words += count.threads * code.width_bits / 32;
    if (code.opcode == "UCGABAR_WAIT") sum.cluster_barriers += count.executed;
  }
  return sum;
}

void check_architecture(Architecture target) {
  const auto device = device_of(target);
  std::vector<LaunchPlan> plans;
  std::vector<double> fmas, outputs;
  std::vector<CompiledCode> codes;
  for (const auto& one : cases()) {
    const auto& family = family_by_name(one.family);
    INFO(one.family << " " << describe_config(one.config) << " for " << target.name());
    if (const auto refusal = family.feasible(one.shape, one.config, device)) {
      CHECK(target.major < 9);
      CHECK_THAT(refusal->reason, contains_text("needs compute capability"));
      continue;
    }
    plans.push_back(family.plan(one.shape, one.config, device));
    fmas.push_back(family.describe(one.shape, one.config, device, nullptr).fma_executed);
    outputs.push_back(static_cast<double>(one.shape.output_elements()));
    codes.push_back(compile(plans.back().code, kernel_sources(), target));
  }
  CHECK(plans.size() == (target.major < 8 ? 4 : target.major < 9 ? 10 : 13));

  std::vector<std::span<const char>> cubins;
  for (const auto& code : codes)
    cubins.emplace_back(code.cubin);
  const auto listings = sass::disassemble_all(cubins);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    INFO(plans[i].code.key() << " for " << target.name());
    const auto program = sass::read_machine_code(listings[i], codes[i].cubin, plans[i].code.entry);
    CHECK(program.target == target.name());
    const auto sum = by_class(program, execute_all(program, plans[i]));
    CHECK(sum.fmas == fmas[i]);
    CHECK(sum.stored_words == outputs[i]);
    CHECK((sum.cluster_barriers > 0) == (plans[i].cluster_x > 1));
  }
}

// Offsets of bank 0 that a kernel reads, from its listing; RZ stands for offset 0.
std::set<int> constants_read(const std::string& listing) {
  static const std::regex constant(R"(c\[0x0\]\[(RZ|0x[0-9a-f]+)\])");
  std::set<int> offsets;
  for (std::sregex_iterator at(listing.begin(), listing.end(), constant), end; at != end; ++at)
    offsets.insert((*at)[1] == "RZ" ? 0 : std::stoi((*at)[1], nullptr, 16));
  return offsets;
}

constexpr std::string_view layout_source = R"(
extern "C" __global__ void layout(const float*, const float*, unsigned* out) {
  out[0] = blockDim.x;
  out[1] = gridDim.x;
#if __CUDA_ARCH__ >= 900
  unsigned cluster;
  asm volatile("{.reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p;}" : "=r"(cluster));
  out[2] = cluster;
#endif
})";

}  // namespace

TEST_CASE("architectures: every family's multiply-adds are executed, Turing to Ada", "[nvrtc]") {
  for (const auto target : known_architectures(7, 8))
    check_architecture(target);
}

TEST_CASE("architectures: every family's multiply-adds are executed, Hopper", "[nvrtc]") {
  for (const auto target : known_architectures(9, 9))
    check_architecture(target);
}

TEST_CASE("architectures: every family's multiply-adds are executed, Blackwell and later", "[nvrtc]") {
  for (const auto target : known_architectures(10, 99))
    check_architecture(target);
}

TEST_CASE("architectures: what a family refuses for an older one does not compile for it", "[nvrtc]") {
  for (const auto target : known_architectures(7, 8)) {
    if (target.minor != 5 && target.minor != 9)
      continue;  // Turing and Ada stand for all: an error is not kept
    const auto device = device_of(target);
    for (const auto& one : cases()) {
      const auto& family = family_by_name(one.family);
      if (!family.feasible(one.shape, one.config, device)) continue;
      INFO(one.family << " " << describe_config(one.config) << " for " << target.name());
      CHECK_THROWS_AS(compile(family.plan(one.shape, one.config, device).code, kernel_sources(), target),
                      Error);
    }
  }
}

TEST_CASE("architectures: a launch's values lie where the compiler reads them", "[nvrtc]") {
  const EmbeddedFile sources[] = {{"layout/layout.cu", layout_source}};
  for (const auto target : known_architectures(7, 99)) {
    INFO(target.name());
    const auto layout = sass::constant_bank_layout(target.name());
    const auto code = compile({"layout/layout.cu", "layout", {}}, sources, target);
    const auto read = constants_read(sass::disassemble(code.cubin));
    for (const int offset :
         {layout.block_size, layout.grid_size, layout.stack_pointer, layout.parameters + 16})
      CHECK(read.count(offset) == 1);
    CHECK(layout.cluster.has_value() == (target.major >= 9));
    if (layout.cluster) CHECK(read.count(*layout.cluster) == 1);
  }
}
