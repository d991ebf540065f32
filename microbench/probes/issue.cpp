// Which instructions take the FMAs' place: FFMA mixed with integer ones, by their share.
#include <fmt/format.h>

#include "microbench/loop_bench.hpp"
#include "microbench/probes/probes.hpp"
#include "microbench/reduction.hpp"

namespace tilecast {

ProbeResult probe_issue(const ProbeContext& context) {
  constexpr int body = 512;
  constexpr unsigned shorter_rounds = 20, longer_rounds = 120;
  const int repeats = context.quick ? 3 : 9;
  LoopBench bench(context);
  ProbeResult result;
  int kind = 0;
  for (const std::string_view name : {"imad", "alu"}) {
    ++kind;
    ProbeCurve curve{
        fmt::format("issue_rate_over_{}_share", name),
        "16 warps a SM, loop of 512 instructions, FFMA (two operands common to all) and that share of the "
        "other kind (imad: IMAD; alu: LOP3 and SHF in turn; one fresh register each) spread evenly, eight "
        "chains "
        "each; instructions a cycle and SM, in lanes; slope of 20 "
        "and 120 rounds by clock64, median over SMs",
        {},
        {}};
    for (const int others : {1, 2, 4, 6, 8}) {
      const ProbeKernel kernel = load_probe(
          context, {"probes/issue.cu", "issue_mix", {{"KIND", kind}, {"OTHERS", others}, {"BODY", body}}});
      curve.x.push_back(others / 8.0);
      curve.samples.push_back(
          scaled(bench.rates(kernel, 16, shorter_rounds, longer_rounds, repeats), body * 32));
    }
    result.curves.push_back(std::move(curve));
  }
  return result;
}

}  // namespace tilecast
