#include "microbench/expected_code.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "microbench/code_log.hpp"
#include "microbench/disassembly.hpp"
#include "microbench/loop_opcodes.hpp"
#include "model/support/csv.hpp"
#include "tests/catch.hpp"

namespace tilecast {

namespace {

// A kernel before it, a loop of `ffma` FFMAs with its control, a nested pair, the idle loop of every kernel's
// end.
std::string listing(int ffma, int others = 0) {
  std::string text =
      "\t.section\t.text.other,\"ax\",@progbits\n"
      "other:\n.text.other:\n"
      ".L_x_9:\n"
      "        /*0000*/                   FFMA R1, R1, R1, R1 ;\n"
      "        /*0010*/              @!P0 BRA `(.L_x_9) ;\n"
      "\t.section\t.text.fma_chains,\"ax\",@progbits\n"
      "fma_chains:\n.text.fma_chains:\n"
      "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
      ".L_x_0:\n";
  for (int i = 0; i < ffma; ++i)
    text += "        /*0010*/                   FFMA R0, R0, R2, R3 ;\n";
  for (int i = 0; i < others; ++i)
    text += "        /*0010*/                   MOV R0, R7 ;\n";
  return text +
         "        /*0020*/                   IADD3 R5, R5, 0x1, RZ ;\n"
         "        /*0030*/                   ISETP.NE.AND P0, PT, R5, R6, PT ;\n"
         "        /*0040*/              @!P0 BRA `(.L_x_0) ;\n"
         ".L_x_1:\n"
         "        /*0050*/                   LDG.E.128.STRONG.GPU R8, desc[UR4][R2.64] ;\n"
         ".L_x_2:\n"
         "        /*0060*/                   LDG.E.64 R8, desc[UR4][R2.64] ;\n"
         "        /*0070*/               @P1 BRA `(.L_x_2) ;\n"
         "        /*0080*/               @P2 BRA `(.L_x_1) ;\n"
         "        /*0090*/                   EXIT ;\n"
         ".L_x_3:\n"
         "        /*00a0*/                   BRA `(.L_x_3);\n"
         "        /*00b0*/                   NOP;\n"
         ".L_x_4:\n";
}

Specialisation chains(int ilp, int body) {
  return {"probes/fma.cu", "fma_chains", {{"ILP", ilp}, {"BODY", body}}};
}

std::string problem_of(const Specialisation& code, const std::string& text) {
  return code_problem(code, *find_expected_code(code.source, code.entry), text);
}

}  // namespace

TEST_CASE("machine code: innermost loops and their opcodes") {
  const auto loops = innermost_loops(listing(8), "fma_chains");
  REQUIRE(loops.size() == 2);  // the outer of the nested pair and the idle loop are none
  CHECK(loops[0].instructions == 11);
  CHECK(loops[0].count("FFMA") == 8);
  CHECK(loops[0].count("ISETP") == 1);
  CHECK(loops[0].count("IADD") == 0);  // not IADD3
  CHECK(loops[1].count("LDG") == 1);
  CHECK(loops[1].count("LDG", "64") == 1);
  CHECK(loops[1].count("LDG", "128") == 0);
  CHECK(whole_kernel(listing(8), "fma_chains").count("LDG", "128") == 1);
  CHECK(innermost_loops(listing(8), "other").size() == 1);
  CHECK(innermost_loops(listing(8), "fma").empty());
}

TEST_CASE("machine code: what a probe declares is found, or named when it is not") {
  CHECK(problem_of(chains(4, 512), listing(512)).empty());
  // 7 chains of 512 / 7 = 73 steps.
  CHECK(problem_of(chains(7, 512), listing(511)).empty());
  // Removed by the compiler.
  CHECK(problem_of(chains(4, 512), listing(0)) ==
        "fma_chains: expected 512 FFMA in 1 inner loop, the machine code has none; at most 6 other "
        "instructions");
  // Half of it merged.
  CHECK(problem_of(chains(4, 512), listing(256)).find("has 256;") != std::string::npos);
  // Not unrolled: the loop's own instructions are as many as the work.
  CHECK_FALSE(problem_of(chains(1, 8), listing(8, 10)).empty());
  CHECK(problem_of(chains(1, 8), listing(8)).empty());
}

TEST_CASE("machine code: every kernel of the probes declares what it holds, or why nothing") {
  std::set<std::string> declared;
  for (const auto& expected : expected_code()) {
    declared.insert(fmt::format("{}:{}", expected.source, expected.entry));
    CHECK((expected.loops == nullptr) == !expected.why_none.empty());
  }
  const std::string folder = std::string(TILECAST_SOURCE_DIR) + "/microbench/probes";
  int kernels = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".cu") continue;
    const std::string text = read_file(file.path().string());
    constexpr std::string_view before = "extern \"C\" __global__ void ";
    for (auto at = text.find(before); at != std::string::npos; at = text.find(before, at + 1)) {
      const auto start = at + before.size();
      const auto key = fmt::format("probes/{}:{}", file.path().filename().string(),
                                   text.substr(start, text.find('(', start) - start));
      INFO(key << ": add a line to microbench/expected_code.cpp");
      CHECK(declared.contains(key));
      ++kernels;
    }
  }
  CHECK(kernels > 0);
}

TEST_CASE("machine code: where nvdisasm is looked for") {
  const auto places = nvdisasm_candidates("/usr/bin:/opt/bin", "/opt/cuda", "/venv/nvidia/cu13/lib");
  CHECK(places == std::vector<std::string>{"/usr/bin/nvdisasm", "/opt/bin/nvdisasm", "/opt/cuda/bin/nvdisasm",
                                           "/venv/nvidia/cu13/lib/nvdisasm",
                                           "/venv/nvidia/cu13/lib/../bin/nvdisasm",
                                           "/usr/local/cuda/bin/nvdisasm"});
}

TEST_CASE("machine code: the verdict on a probe's kernels") {
  // A stand-in for nvdisasm that prints the cubin.
  const auto folder = std::filesystem::temp_directory_path() / "tilecast_fake_nvdisasm";
  std::filesystem::create_directories(folder);
  const std::string program = (folder / "nvdisasm").string();
  write_file(program,
             "#!/bin/sh\nif grep -q broken \"$2\"; then echo no cubin >&2; exit 1; fi\ncat \"$2\"\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const auto loaded = [](Specialisation code, const std::string& text, std::string hash) {
    return LoadedCode{std::move(code), {text.begin(), text.end()}, {32, 0, 0, std::move(hash)}};
  };
  const std::vector<CodeLog> logs = {
      {},
      {loaded(chains(4, 512), listing(512), "a"), loaded({"probes/fill.cu", "fill", {}}, "", "b")},
      {loaded(chains(4, 512), listing(256), "c")},
      {loaded({"probes/new.cu", "new_kernel", {}}, "", "d")},
      {loaded(chains(4, 512), "broken", "e")},
  };
  const auto verdicts = examine_code(logs, program, 2);
  REQUIRE(verdicts.size() == logs.size());
  CHECK(verdicts[0].state == "no machine code");
  CHECK(verdicts[1].state == "as declared: 1 kernels, 1 without a timed loop");
  CHECK(verdicts[1].problem.empty());
  CHECK(verdicts[2].problem.starts_with("fma_chains: expected 512 FFMA"));
  CHECK(verdicts[3].state.ends_with("not declared: new_kernel"));
  CHECK(verdicts[4].state.find("failed: no cubin") != std::string::npos);
  CHECK(verdicts[4].problem.empty());
  for (const auto& verdict : examine_code(std::span(logs).subspan(1), std::nullopt, 1))
    CHECK(verdict.state == "not checked: nvdisasm was not found");
  std::filesystem::remove_all(folder);
}

}  // namespace tilecast
