#include "microbench/self_test.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

#include "microbench/expected_code.hpp"
#include "microbench/warp_records.hpp"
#include "model/device/check.hpp"
#include "model/device/compare.hpp"

namespace tilecast {

namespace {

template <class Entry>
Entry* find_entry(std::vector<Entry>& list, std::string_view key) {
  const auto found = std::ranges::find_if(list, [&](const auto& entry) { return entry.key == key; });
  return found == list.end() ? nullptr : &*found;
}

// The entry of that key among all outcomes; a mistake that finds nothing to spoil is a defect of this file.
template <class Entry>
Entry& entry_of(Evidence& evidence, std::vector<Entry> ProbeResult::*list, std::string_view key) {
  for (ProbeOutcome& outcome : evidence.outcomes) {
    if (Entry* entry = find_entry(outcome.result.*list, key)) return *entry;
  }
  throw std::logic_error(fmt::format("the self-test has no {}", key));
}

ProbeValue& value(Evidence& evidence, std::string_view key) {
  return entry_of(evidence, &ProbeResult::values, key);
}
ProbeCurve& curve(Evidence& evidence, std::string_view key) {
  return entry_of(evidence, &ProbeResult::curves, key);
}
ProbeTable& table(Evidence& evidence, std::string_view key) {
  return entry_of(evidence, &ProbeResult::tables, key);
}

void scale(std::vector<double>& samples, double by) {
  for (double& sample : samples)
    sample *= by;
}
void scale(Evidence& evidence, std::string_view key, double by) {
  scale(value(evidence, key).samples, by);
}

// The kernel's loop with `ffma` multiply-adds and `others` instructions besides.
void relist(Evidence& evidence, int ffma, int others) {
  std::string text = ".text.fma_chains:\n.L_x_0:\n";
  for (int i = 0; i < ffma; ++i)
    text += "/*0010*/ FFMA R0, R0, R2, R3 ;\n";
  for (int i = 0; i < others; ++i)
    text += "/*0010*/ MOV R4, R4 ;\n";
  evidence.listing = text + "/*2020*/ @!P0 BRA `(.L_x_0) ;\n/*2030*/ EXIT ;\n";
}

// clang-format off
constexpr std::array list{
    Mistake{"work removed by the compiler: no live result", "vetter/shoc#81, TapiocaFox/GPU-Project", "machine-code",
            [](Evidence& e) { relist(e, 0, 1); }},
    Mistake{"constants folded: an addition in 0.02 cycles", "TapiocaFox/GPU-Project", "fma-lanes",
            [](Evidence& e) { scale(e, "fma_rate_per_cycle", 200); }},
    Mistake{"half of the chains merged by the compiler", "kind of TapiocaFox/GPU-Project", "machine-code",
            [](Evidence& e) { relist(e, 256, 3); }},
    Mistake{"loop overhead in the window: not unrolled", "a public H100 SXM5 study (FMA 29 cycles)", "machine-code",
            [](Evidence& e) { e.code.defines = {{"ILP", 1}, {"BODY", 1}}; relist(e, 1, 9); }},
    Mistake{"loop overhead in the latency: FMA in 29 cycles", "a public H100 SXM5 study", "fma-latency",
            [](Evidence& e) { scale(e, "fma_latency_cycles", 29.0 / 4); }},
    Mistake{"16 blocks launched, divided by all SMs (FMA 13.5 a cycle)", "AMORA (V100, H100)", "fma-reached",
            [](Evidence& e) { scale(e, "fma_rate_per_cycle", 16.0 / 132); }},
    Mistake{"idle SMs counted: warps on some SMs only", "AMORA (V100, H100)", "spread",
            [](Evidence& e) { e.records.resize(16 * 4); }},
    Mistake{"two blocks on some SMs, none on others", "kind of AMORA", "spread",
            [](Evidence& e) { for (auto& record : e.records) record.sm /= 2; }},
    Mistake{"too few blocks launched to fill an SM: 13 resident", "AMORA (V100: 13, H100: 8, 'uniquely identified')", "residency",
            [](Evidence& e) { table(e, "resident_blocks_over_threads_and_shared").samples.front() = {13}; }},
    Mistake{"wrong lane count: 128 lanes taken for 64", "mixbench#47 (A100: 128 for 64)", "lanes",
            [](Evidence& e) { e.gpu_name = "NVIDIA A100-SXM4-80GB"; e.compute_capability_major = 8; }},
    Mistake{"flops taken for FMAs", "common", "fma-lanes",
            [](Evidence& e) { scale(e, "fma_rate_per_cycle", 2); }},
    Mistake{"bandwidth above the memory's peak: served by L2", "gpu-benches#6, ROCm/iris#119, rocprofiler-compute#691", "dram-peak",
            [](Evidence& e) { scale(e, "dram_read_bytes_per_s", 2.2); scale(e, "dram_copy_bytes_per_s", 2.2); }},
    Mistake{"L2 bandwidth served by L1", "kind of gpu-benches#13", "l2-peak",
            [](Evidence& e) { scale(e, "l2_read_bytes_per_s", 126.0 / 30); }},
    Mistake{"footprint inside the cache: DRAM latency of an L2 hit", "hipfire#490; the 258 cycles of a GTX 1080 Ti", "latency-order",
            [](Evidence& e) { value(e, "dram_latency_cycles").samples = {258, 258, 259}; }},
    Mistake{"the chase ends at 7 MB", "Accel-Sim GPU_Microbenchmark", "footprint",
            [](Evidence& e) {
              ProbeCurve& c = curve(e, "latency_over_footprint");
              while (c.x.back() > 7e6) { c.x.pop_back(); c.samples.pop_back(); }
            }},
    Mistake{"too little in flight: 2.0 TB/s called the plateau", "a public H100 SXM5 study", "plateau",
            [](Evidence& e) {
              ProbeCurve& c = curve(e, "dram_read_over_bytes_in_flight");
              while (c.x.back() > 1.2e6) { c.x.pop_back(); c.samples.pop_back(); }
              value(e, "dram_read_bytes_per_s").samples = c.samples.back();
            }},
    Mistake{"bytes / 1024^3 labelled GB/s", "HPMLL/NVIDIA-Hopper-Benchmark, TMA log", "plateau",
            [](Evidence& e) { scale(e, "dram_read_bytes_per_s", 1e9 / 1073741824.0); }},
    Mistake{"bytes in flight counted twice", "kind of RRZE-HPC/gpu-benches, one load a thread and block turnover", "slope",
            [](Evidence& e) { scale(curve(e, "dram_read_over_bytes_in_flight").x, 2); }},
    Mistake{"bytes in flight counted half: more bandwidth than they carry", "kind of nvbandwidth#48 (bytes counted once)", "little",
            [](Evidence& e) { scale(curve(e, "dram_read_over_bytes_in_flight").x, 0.5); }},
    Mistake{"V_s below what the idle latency needs", "V_s from a cache's latency", "v-s",
            [](Evidence& e) { scale(e, "v_s_95_bytes", 0.25); }},
    Mistake{"nanoseconds taken for cycles", "common", "dram-latency-methods",
            [](Evidence& e) { scale(e, "dram_latency_cycles", 1 / 1.755); }},
    Mistake{"MHz taken for Hz", "common", "plausible-range",
            [](Evidence& e) { scale(e, "sm_clock_hz", 1e-6); }},
    Mistake{"a fence in the timed window: DRAM in 834 cycles", "MT4G (H100 SXM)", "dram-latency-methods",
            [](Evidence& e) { value(e, "dram_latency_cycles").samples = {834, 833, 835}; }},
    Mistake{"a number copied from a web table: 400 cycles for every GPU", "web tables (V100 = A100 = H100)", "slope",
            [](Evidence& e) { value(e, "dram_latency_cycles").samples = {400}; }},
    Mistake{"clock reads in the window: L1 in 70.6 cycles", "AMORA (H100)", "reference",
            [](Evidence& e) { value(e, "l1_latency_cycles").samples = {70.6, 70.6, 70.6}; }},
    Mistake{"launch and drain in the FMA window", "AMORA (one CTA, launch included)", "fma-rate-methods",
            [](Evidence& e) { scale(e, "fma_rate_per_cycle", 0.85); }},
    Mistake{"near and far half of L2 exchanged", "MT4G (A100: one slice, SM unspecified)", "latency-order",
            [](Evidence& e) { std::swap(value(e, "l2_latency_cycles").samples, value(e, "l2_far_latency_cycles").samples); }},
    Mistake{"results filed under another GPU's name", "gpu-benches 'h200.txt', later gh200.txt", "reference",
            [](Evidence& e) { e.gpu_name = "NVIDIA H200"; }},
    Mistake{"all samples thrown away, or division by zero time", "nvbench#231 (NaN rows)", "unusable",
            [](Evidence& e) { value(e, "l2_read_bytes_per_s").samples = {1.0 / 0.0}; }},
    Mistake{"a table with cells that did not run", "common", "unusable",
            [](Evidence& e) { table(e, "fma_rate_over_warps_and_ilp").samples.pop_back(); }},
    Mistake{"one run called a measurement", "common: tables of single numbers without a spread", "interval-known",
            [](Evidence& e) { value(e, "l2_read_bytes_per_s").samples.resize(1); }},
    Mistake{"resident blocks taken for SMs that clusters reach", "kind of AMORA", "clusters",
            [](Evidence& e) { for (auto& samples : curve(e, "cluster_sms_over_blocks").samples) scale(samples, 2); }},
    Mistake{"clusters' blocks counted twice", "kind of AMORA", "clusters",
            [](Evidence& e) { for (auto& samples : table(e, "cluster_blocks_over_cluster_and_fit").samples) scale(samples, 2); }},
    Mistake{"cycles of a stay turned into seconds by the idle clock", "kind of a clock taken from a data sheet", "clusters",
            [](Evidence& e) { for (auto& samples : table(e, "resident_blocks_over_cluster_and_threads").samples) scale(samples, 1.98 / 1.755); }},
    Mistake{"the interval of another value", "common", "interval",
            [](Evidence& e) { e.tamper = [](DeviceProfile& d) { d.dram_latency.info.high = d.l1_latency.info.high; }; }},
};
// clang-format on

}  // namespace

std::vector<std::string> objections(const Evidence& evidence) {
  std::set<std::string> names;
  DeviceProfile profile;
  profile.gpu_name = evidence.gpu_name;
  profile.compute_capability_major = evidence.compute_capability_major;
  profile.compute_capability_minor = evidence.compute_capability_minor;
  for (const ProbeOutcome& outcome : evidence.outcomes) {
    const auto problems = apply_outcome(outcome, "2026-01-02", profile);
    if (!problems.empty()) names.insert("unusable");
    apply_run(outcome, problems, profile);
  }
  if (evidence.tamper) evidence.tamper(profile);
  for (const Violation& violation : check_device(profile))
    names.emplace(violation.check);
  for (const auto& row : compare_with_references(profile, reference_values())) {
    if (row.verdict == ReferenceVerdict::outside) names.insert("reference");
  }
  if (!spread_problem(evidence.records, evidence.sms, evidence.warps_per_sm).empty()) names.insert("spread");
  const ExpectedCode* expected = find_expected_code(evidence.code.source, evidence.code.entry);
  if (expected && !code_problem(evidence.code, *expected, evidence.listing).empty())
    names.insert("machine-code");
  return {names.begin(), names.end()};
}

std::span<const Mistake> mistakes() {
  return list;
}

SelfTestResult judged(std::string_view mistake, std::string_view published, std::string_view expected,
                      const std::vector<std::string>& caught_by) {
  const bool passed =
      expected.empty() ? caught_by.empty() : std::ranges::find(caught_by, expected) != caught_by.end();
  return {std::string(mistake), std::string(published), std::string(expected),
          fmt::format("{}", fmt::join(caught_by, ", ")), passed};
}

std::vector<SelfTestResult> self_test() {
  std::vector<SelfTestResult> results = {judged("none", "", "", objections(sound_evidence()))};
  for (const Mistake& mistake : list) {
    Evidence evidence = sound_evidence();
    mistake.inject(evidence);
    results.push_back(judged(mistake.name, mistake.published, mistake.expected, objections(evidence)));
  }
  return results;
}

}  // namespace tilecast
