// Not a test: what the simulator makes of the loops of microbench/experiments/instructions_among_ffmas.cu, in
// the columns of that experiment's rows (reads is 0 or 1, kind and tile are the kernel's). Usage:
// simulate_loops DEVICE FILE.cubin, made by
//   nvcc -O3 -std=c++17 -arch=sm_90a -cubin -o FILE.cubin microbench/experiments/instructions_among_ffmas.cu

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/sass/disassemble.hpp"
#include "kernels/sass/make_stream.hpp"
#include "model/device/load.hpp"
#include "model/sim/core_parameters.hpp"
#include "model/sim/sm_simulator.hpp"
#include "model/support/csv.hpp"

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
  // mix<TM, TN, reads, kind, an_round>
  const std::regex kernel(R"(\.text\.(_Z3mixILi(\d+)ELi(\d+)ELb(\d)EL4Kind(\d+)ELi(\d+)E\S+):)");
  fmt::print("tile_m,tile_n,reads,kind,an_round,warps,cycles\n");
  for (std::sregex_iterator at(listing.begin(), listing.end(), kernel), end; at != end; ++at) {
    const auto number = [&](std::size_t group) { return std::stoi((*at)[group]); };
    const int m = number(2), n = number(3), most_warps = m * n > 64 ? 8 : 16;
    const auto code = sass::read_machine_code(listing, cubin, (*at)[1].str());
    for (int warps = 4; warps <= most_warps; warps *= 2)
      fmt::print("{},{},{},{},{},{},{:.2f}\n", m, n, number(4), kinds.at(static_cast<std::size_t>(number(5))),
                 number(6), warps, (cycles(code, core, warps, 48) - cycles(code, core, warps, 16)) / 32);
  }
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
