// Not a test: what the simulator makes of the loops of microbench/experiments/instructions_among_ffmas.cu and
// fragment_loads.cu, in the columns of these experiments' rows. Usage: simulate_loops DEVICE FILE.cubin, made
// by
//   nvcc -O3 -std=c++17 -arch=sm_90a -cubin -o FILE.cubin microbench/experiments/instructions_among_ffmas.cu

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/sass/disassemble.hpp"
#include "kernels/sass/make_stream.hpp"
#include "model/device/load.hpp"
#include "model/sim/core_parameters.hpp"
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
  int (*most_warps)(const std::vector<int>& numbers);
  std::string (*cells)(const std::vector<int>& numbers);
};

std::string pattern_name(int pattern) {
  std::string name;
  for (; pattern; pattern /= 4)
    name += " abc"[pattern % 4];
  return name.empty() ? "-" : name;
}

const std::array<Loops, 2> experiments{{
    // instructions_among_ffmas.cu: mix<TM, TN, reads, kind, an_round>
    {R"(Li(\d+)ELi(\d+)ELb(\d)EL4Kind(\d+)ELi(\d+)E)", "tile_m,tile_n,reads,kind,an_round", 1,
     [](const std::vector<int>& n) { return n[0] * n[1] > 64 ? 8 : 16; },
     [](const std::vector<int>& n) {
       return fmt::format("{},{},{},{},{}", n[0], n[1], n[2], kinds.at(static_cast<std::size_t>(n[3])), n[4]);
     }},
    // fragment_loads.cu: mix<pattern, ffmas, together>
    {R"(Li(\d+)ELi(\d+)ELb(\d)E)", "loads,ffmas,together", 24, [](const std::vector<int>&) { return 16; },
     [](const std::vector<int>& n) { return fmt::format("{},{},{}", pattern_name(n[0]), n[1], n[2]); }},
}};

// Of a block alone on its SM, which finds its data in L1.
double cycles(const sass::Program& code, const sim::CoreParameters& core, int warps, unsigned rounds) {
  LaunchPlan plan;
  plan.threads = 32 * warps;
  plan.params = as_params(Params{.rounds = rounds});
  sass::L1Room l1;
  l1.bytes = 100 * 1024;
  auto stream = sass::make_stream(code, sass::Executor(code, plan), {}, l1);
  stream.l1_lines = sass::lines_at_once(l1);
  sim::SmWork work;
  work.extrapolate = false;
  return static_cast<double>(sim::simulate_sm(stream, core, work).cycles);
}

void simulate(const std::string& device, const std::string& file) {
  const auto text = read_file(file);
  const std::vector<char> cubin(text.begin(), text.end());
  const auto listing = sass::disassemble(cubin);
  const auto core = sim::core_parameters(load_device(device));
  bool any = false;
  for (const auto& loops : experiments) {
    const std::regex kernel(fmt::format(R"(\.text\.(_Z3mixI{}E\S+):)", loops.arguments));
    for (std::sregex_iterator at(listing.begin(), listing.end(), kernel), end; at != end; ++at) {
      std::vector<int> numbers;
      for (std::size_t group = 2; group < at->size(); ++group)
        numbers.push_back(std::stoi((*at)[group]));
      if (!std::exchange(any, true)) fmt::print("{},warps,cycles\n", loops.columns);
      const auto code = sass::read_machine_code(listing, cubin, (*at)[1].str());
      for (int warps = 4; warps <= loops.most_warps(numbers); warps *= 2)
        fmt::print("{},{},{:.3f}\n", loops.cells(numbers), warps,
                   (cycles(code, core, warps, 48) - cycles(code, core, warps, 16)) / 32 / loops.groups);
    }
  }
  if (!any)
    throw Error(ExitCode::invalid_input, fmt::format("{}: no kernel of an experiment with loops", file));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: simulate_loops DEVICE FILE.cubin\n");
    return 2;
  }
  try {
    simulate(argv[1], argv[2]);
  } catch (const std::exception& e) {
    fmt::print(stderr, "error: {}\n", e.what());
    return 1;
  }
}
