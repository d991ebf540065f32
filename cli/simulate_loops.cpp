// Not a test: what the simulator makes of the loops of microbench/experiments/instructions_among_ffmas.cu,
// fragment_loads.cu, waits_behind_stores.cu, warps_in_pipe.cu, chang_rounds.cu and gemm_steps.cu, in the
// columns of these experiments' rows. Usage: simulate_loops DEVICE FILE.cubin..., made by
//   nvcc -O3 -std=c++17 -arch=sm_90a -cubin -o FILE.cubin microbench/experiments/instructions_among_ffmas.cu
// or chang_rounds.sh build FOLDER, gemm_steps.sh build FOLDER.

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cstddef>
#include <cstdio>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/sass/disassemble.hpp"
#include "kernels/sass/make_stream.hpp"
#include "microbench/experiments/chang_rounds.hpp"
#include "microbench/experiments/gemm_steps.hpp"
#include "model/device/load.hpp"
#include "model/sim/core_parameters.hpp"
#include "model/sim/l1_half.hpp"
#include "model/sim/sm_simulator.hpp"
#include "model/support/csv.hpp"
#include "model/support/errors.hpp"

using namespace tilecast;

namespace {

// As the experiment has them, in its order.
constexpr std::array<std::string_view, 22> kinds{
    "none",   "lds32", "lds64",  "lds128", "lds64_same", "lds128_same", "sts32",  "sts64",
    "sts128", "ldg32", "ldg128", "stg32",  "stg128",     "copy4",       "copy16", "ldc",
    "iadd",   "shift", "imad",   "commit", "",           "barrier"};
struct Params {
  unsigned rounds = 0, step = 0, mask = 0, number = 0;
};

// An experiment's kernels: their template arguments as they are mangled, and its rows' first columns.
struct Loops {
  const char *arguments, *columns;
  int groups;  // of a round
  std::vector<int> (*warps)(const std::vector<int>& numbers);
  std::string (*cells)(const std::vector<int>& numbers);
};

std::string pattern_name(int pattern) {
  std::string name;
  for (; pattern; pattern /= 4)
    name += " abc"[pattern % 4];
  return name.empty() ? "-" : name;
}

constexpr std::array<const char*, 3> kinds_of_waits{"free", "in_step", "staged"};

std::vector<int> up_to(int most) {
  std::vector<int> warps;
  for (int n = 4; n <= most; n *= 2)
    warps.push_back(n);
  return warps;
}

constexpr std::array<const char*, 10> accesses{
    "lds32,1",  "lds32_2_ways,2", "lds32_4_ways,4", "lds32_8_ways,8", "lds64,2",
    "lds128,4", "lds128_same,2",  "sts32,1",        "sts32_4_ways,4", "sts128,4"};

const std::array<Loops, 4> experiments{{
    // instructions_among_ffmas.cu: mix<TM, TN, reads, kind, an_round>
    {R"(Li(\d+)ELi(\d+)ELb(\d)EL4Kind(\d+)ELi(\d+)E)", "tile_m,tile_n,reads,kind,an_round,warps,cycles", 1,
     [](const std::vector<int>& n) { return up_to(n[0] * n[1] > 64 ? 8 : 16); },
     [](const std::vector<int>& n) {
       return fmt::format("{},{},{},{},{}", n[0], n[1], n[2], kinds.at(static_cast<std::size_t>(n[3])), n[4]);
     }},
    // fragment_loads.cu: mix<pattern, ffmas, together>
    {R"(Li(\d+)ELi(\d+)ELb(\d)E)", "loads,ffmas,together,warps,cycles", 24,
     [](const std::vector<int>&) { return up_to(16); },
     [](const std::vector<int>& n) { return fmt::format("{},{},{}", pattern_name(n[0]), n[1], n[2]); }},
    // waits_behind_stores.cu: mix<kind, bytes, apart, ffmas, stores>
    {R"(Li(\d+)ELi(\d+)ELi(\d+)ELi(\d+)ELi(\d+)E)", "kind,bytes,apart,ffmas,stores,warps,cycles", 1,
     [](const std::vector<int>&) { return up_to(16); },
     [](const std::vector<int>& n) {
       return fmt::format("{},{},{},{},{}", kinds_of_waits.at(static_cast<std::size_t>(n[0])), n[1], n[2],
                          n[3], n[4]);
     }},
    // warps_in_pipe.cu: mix<access, ffmas, burst, warps>
    {R"(Li(\d+)ELi(\d+)ELi(\d+)ELi(\d+)E)", "access,wavefronts,ffmas,burst,warps,cycles", 16,
     [](const std::vector<int>& n) { return std::vector{n[3]}; },
     [](const std::vector<int>& n) {
       return fmt::format("{},{},{}", accesses.at(static_cast<std::size_t>(n[0])), n[1], n[2]);
     }},
}};

// Of an SM's blocks, which begin together.
double cycles_of_blocks(const sass::Program& code, const sim::CoreParameters& core, const LaunchPlan& plan,
                        int blocks, int l1_kib) {
  sass::L1Room l1;
  l1.bytes = l1_kib * 1024;
  l1.blocks = blocks;
  auto stream = sass::make_stream(code, sass::Executor(code, plan), {}, l1);
  // Several blocks ask for the same filters; whose lines these are is not known here, so they have room for
  // all.
  stream.l1_lines = blocks > 1 ? 0 : sass::lines_at_once(l1);
  sim::SmWork work;
  work.resident = work.blocks = blocks;
  work.extrapolate = false;
  return static_cast<double>(sim::simulate_sm(stream, core, work).cycles);
}

double cycles_of_block(const sass::Program& code, const sim::CoreParameters& core, int warps,
                       std::vector<std::byte> params, int l1_kib) {
  LaunchPlan plan;
  plan.threads = 32 * warps;
  plan.params = std::move(params);
  return cycles_of_blocks(code, core, plan, 1, l1_kib);
}

double cycles(const sass::Program& code, const sim::CoreParameters& core, int warps, unsigned rounds) {
  constexpr int finds_its_data = 100;
  return cycles_of_block(code, core, warps, as_params(Params{.rounds = rounds}), finds_its_data);
}

// chang_rounds.cu: cycles a line of chang_multi's reduction.
constexpr const char* rounds_kernel = R"(\.text\.(rounds_([a-z_]+)_(\d+)_(\d+)_(\d+)_(\d+)_(\d+)_(\d+)):)";
constexpr const char* rounds_columns = "what,K,S_bytes,M_tile,Wx_tile,thread_m,thread_p,warps,cycles";

constexpr int beside_shared_memory = 28;  // KiB of L1 (S15)

double cycles_a_line(const sass::Program& code, const sim::CoreParameters& core, int K, int M_tile,
                     int warps) {
  const auto cycles = [&](int channels) {
    return cycles_of_block(code, core, warps, as_params(chang_rounds::params_of(K, M_tile, channels)),
                           beside_shared_memory);
  };
  return (cycles(chang_rounds::many_channels(K)) - cycles(chang_rounds::few_channels(K))) /
         chang_rounds::lines_between(K);
}

// gemm_steps.cu: cycles a step of an SM's blocks.
constexpr const char* steps_kernel =
    R"(\.text\.(steps_([a-z_]+)_(\d+)_(\d+)_(\d+)_(\d+)_(\d+)_(\d+)_(\d+)):)";
constexpr const char* steps_columns = "what,BM,BN,BK,TM,TN,async,stages,sms,blocks,cycles";

double cycles_a_step(const sass::Program& code, const DeviceProfile& device, const sim::CoreParameters& core,
                     const gemm_tile::Geometry& g, int blocks) {
  auto placed = core;
  placed.copies_in_l1_half =
      sim::in_l1_half(Bytes{static_cast<double>(gemm_steps::shared_bytes(g))}, device).of(blocks);
  const auto cycles = [&](int channels) {
    LaunchPlan plan;
    plan.threads = g.threads;
    plan.grid_x = blocks * static_cast<std::int64_t>(core.sms);
    plan.dynamic_shared_bytes = gemm_steps::shared_bytes(g);
    struct {  // as the kernel's parameters lie behind its pointers
      implicit_gemm::Params params;
      int stride;
    } const params{gemm_steps::params_of(g.BM, channels), gemm_steps::filter_stride};
    plan.params = as_params(params);
    return cycles_of_blocks(code, placed, plan, blocks, beside_shared_memory);
  };
  return (cycles(gemm_steps::many_channels) - cycles(gemm_steps::few_channels)) /
         gemm_steps::steps_between(g.BK);
}

// `columns`: those of the rows before, which are printed where they change; nullptr: there are none.
void simulate(const std::string& file, const DeviceProfile& device, const sim::CoreParameters& core,
              const char*& columns) {
  const auto text = read_file(file);
  const std::vector<char> cubin(text.begin(), text.end());
  const auto listing = sass::disassemble(cubin);
  const auto each = [&](const std::string& pattern, const char* own_columns, auto&& row) {
    const std::regex kernel(pattern);
    for (std::sregex_iterator at(listing.begin(), listing.end(), kernel), end; at != end; ++at) {
      if (std::exchange(columns, own_columns) != own_columns) fmt::print("{}\n", own_columns);
      std::vector<int> numbers;
      for (std::size_t group = 2; group < at->size(); ++group)
        if (const auto number = (*at)[group].str(); std::isdigit(static_cast<unsigned char>(number[0])))
          numbers.push_back(std::stoi(number));
      row(sass::read_machine_code(listing, cubin, (*at)[1].str()), (*at)[2].str(), numbers);
    }
  };
  for (const auto& loops : experiments) {
    each(fmt::format(R"(\.text\.(_Z3mixI{}E\S+):)", loops.arguments), loops.columns,
         [&](const sass::Program& code, const std::string&, const std::vector<int>& numbers) {
           for (const int warps : loops.warps(numbers))
             fmt::print("{},{},{:.3f}\n", loops.cells(numbers), warps,
                        (cycles(code, core, warps, 48) - cycles(code, core, warps, 16)) / 32 / loops.groups);
         });
  }
  each(rounds_kernel, rounds_columns,
       [&](const sass::Program& code, const std::string& what, const std::vector<int>& n) {
         const int warps = n[2] / (n[4] * 4) * (n[3] / (n[5] * 8));
         fmt::print("{},{},{},{:.3f}\n", what, fmt::join(n, ","), warps,
                    cycles_a_line(code, core, n[0], n[2], warps));
       });
  each(steps_kernel, steps_columns,
       [&](const sass::Program& code, const std::string& what, const std::vector<int>& n) {
         const bool async = n[5] == 1;
         const auto geometry =
             gemm_tile::make_geometry(n[0], n[1], n[2], n[3], n[4], n[5], n[6], 0, async ? 1 : 4, 1, 4);
         for (int blocks = 1; blocks <= gemm_steps::most_blocks; ++blocks)
           fmt::print("{},{},{},{},{:.1f}\n", what, fmt::join(n, ","), core.sms, blocks,
                      cycles_a_step(code, device, core, geometry, blocks));
       });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: simulate_loops DEVICE FILE.cubin...\n");
    return 2;
  }
  try {
    const auto device = load_device(argv[1]);
    const auto core = sim::core_parameters(device);
    const char* columns = nullptr;
    for (int i = 2; i < argc; ++i)
      simulate(argv[i], device, core, columns);
    if (!columns)
      throw Error(ExitCode::invalid_input, fmt::format("{}: no kernel of an experiment with loops", argv[2]));
  } catch (const std::exception& e) {
    fmt::print(stderr, "error: {}\n", e.what());
    return 1;
  }
}
