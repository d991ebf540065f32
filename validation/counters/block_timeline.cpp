// When every warp of a real kernel begins and ends: the families' own sources with time stamps put in,
// replayed as `validate` replays them, and the plain kernel beside them, so that one sees what the stamps
// cost.
//   block_timeline CASES.csv OUT_FOLDER [first [count]]     (CASES: family,N,C,H,W,M,K,stride,pad,config)
// OUT_FOLDER/summary.csv: a row a case. blocks_N.csv: of each block the SM, and in cycles of that SM's clock
// since its first block began: begin, first step (tiled kernels), end of the last step, end; each the least
// and the most of its warps; and nanoseconds of the global timer at its end. steps_N.csv (tiled kernels): the
// cycle in which each warp of the blocks of one SM begins each step; of other kernels, its marks. Of a split
// tile also, of its first pass: sums written, behind the cluster's barrier, summed up; and before the last
// barrier. Of chang_single, in its first step: `set_up` copies asked for, `asked` before the barrier, `come`
// behind it; and visits_N.csv: when each warp of all blocks begins to visit each of its units.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "kernels/runtime/gpu.hpp"
#include "model/device/load.hpp"
#include "model/support/csv.hpp"
#include "validation/counters/cases.hpp"

namespace tilecast {
namespace {

constexpr int most_steps = 48;  // of a warp, that are recorded
constexpr std::size_t most_warps = 1 << 18;
constexpr std::size_t stamp_words = 16;

// Held in the kernel's frame: constructed when it begins, destroyed at every way out of it.
constexpr std::string_view guard = R"(
#if defined(STAMPS)
namespace {
__device__ __forceinline__ unsigned stamp_clock() {
  unsigned c;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(c)::"memory");
  return c;
}
struct Stamps {
  unsigned begin, last_step = 0, first = 0, marks[8] = {};
  __device__ __forceinline__ Stamps() : begin(stamp_clock()) {}
  static __device__ __forceinline__ unsigned index() {
    return (blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)) * (blockDim.x / 32) + threadIdx.x / 32;
  }
  static __device__ __forceinline__ uint4* at(unsigned part) {
    unsigned long long grid;
    asm volatile("mov.u64 %0, %%gridid;" : "=l"(grid));
    return reinterpret_cast<uint4*>(STAMPS) + ((grid & 1) * (1 << 18) + index()) * 4 + part;
  }
  static __device__ __forceinline__ bool writes() { return threadIdx.x % 32 == 0 && index() < (1 << 18); }
  __device__ __forceinline__ void first_step() {
    first = stamp_clock();
  }
  __device__ __forceinline__ void step(int n) {
#if STEPS
    const unsigned now = stamp_clock();
    unsigned long long grid;
    asm volatile("mov.u64 %0, %%gridid;" : "=l"(grid));
    if (n < 48 && writes())
      reinterpret_cast<unsigned*>(STEP_STAMPS)[((grid & 1) * (1 << 18) + index()) * 48 + n] = now;
#endif
  }
  int visits = 0;
  __device__ __forceinline__ void visit() { step(visits++); }
  __device__ __forceinline__ void steps_done() { last_step = stamp_clock(); }
  __device__ __forceinline__ void mark(int n) { marks[n] = stamp_clock(); }
  __device__ __forceinline__ ~Stamps() {
    const unsigned now = stamp_clock();
    if (!writes()) return;
    unsigned long long grid, time;
    unsigned sm;
    asm volatile("mov.u64 %0, %%gridid;" : "=l"(grid));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
#if !TILED
    first = begin, last_step = now;
#endif
    *at(0) = make_uint4(begin, first, 0, 0);
    *at(3) = make_uint4(marks[4], marks[5], marks[6], marks[7]);
    *at(2) = make_uint4(marks[0], marks[1], marks[2], marks[3]);
    *at(1) = make_uint4(last_step, now, static_cast<unsigned>(time), sm | static_cast<unsigned>(grid) << 8);
  }
};
}  // namespace
#endif
)";

void replace_once(std::string& text, std::string_view what, const std::string& with, std::string_view where) {
  const auto at = text.find(what);
  if (at == std::string::npos || text.find(what, at + 1) != std::string::npos)
    throw Error(ExitCode::failure, fmt::format("{}: '{}' is not there exactly once", where, what));
  text.replace(at, what.size(), with);
}

// The sources with stamps, where STAMPS is defined.
class StampedSources {
 public:
  StampedSources() {
    for (const auto& file : kernel_sources())
      texts_.emplace_back(std::string(file.path), std::string(file.text));
    for (auto& [path, text] : texts_) {
      const bool tiled = path == "sgemm/sgemm.cu" || path == "implicit_gemm/implicit_gemm.cu";
      if (path == "gemm_tile/gemm_tile_device.hpp") {
        replace_once(text, "void multiply(float (&sum)", "void multiply(Stamps& stamps, float (&sum)", path);
        replace_once(text, "  __syncthreads();\n\n  float x[2]",
                     "  stamps.mark(6);\n  __syncthreads();\n  stamps.first_step();\n\n  float x[2]", path);
        replace_once(text, "    wait_all_but<ahead - 1>();\n  } else {",
                     "    stamps.mark(5);\n    wait_all_but<ahead - 1>();\n  } else {", path);
        replace_once(text, "    a.store(0);\n", "    stamps.mark(5);\n    a.store(0);\n", path);
        replace_once(text, "#pragma unroll 1\n  for (int step = 0; step < steps; ++step) {\n    if constexpr",
                     "#pragma unroll 1\n  for (int step = 0; step < steps; ++step) {\n    "
                     "stamps.step(step);\n    if constexpr",
                     path);
      }
      if (path == "gemm_tile/gemm_tile_device.hpp") {
        replace_once(text, "void store_split_tile(const float (&sum)",
                     "void store_split_tile(Stamps& stamps, const float (&sum)", path);
        replace_once(text, "    cluster_barrier();\n#pragma unroll 1\n    for (int e = part",
                     "    if (pass == 0) stamps.mark(0);\n    cluster_barrier();\n    if (pass == 0) "
                     "stamps.mark(1);\n#pragma unroll 1\n    for (int e = part",
                     path);
        replace_once(
            text, "  }\n  cluster_barrier();  // a block that ends",
            "    if (pass == 0) stamps.mark(2);\n  }\n  stamps.mark(3);\n  cluster_barrier();  // a block "
            "that ends",
            path);
      }
      if (tiled) {
        replace_once(text, "store_split_tile<Tile>(sum,", "store_split_tile<Tile>(stamps, sum,", path);
        replace_once(text, "#include \"gemm_tile/gemm_tile_device.hpp\"",
                     std::string(guard) + "#include \"gemm_tile/gemm_tile_device.hpp\"", path);
        replace_once(text, "multiply<Tile>(sum, shared, a, b, end - begin, at, params, thread);",
                     "stamps.mark(4);\n  multiply<Tile>(stamps, sum, shared, a, b, end - begin, at, params, "
                     "thread);\n  "
                     "stamps.steps_done();",
                     path);
        replace_once(text,
                     "  constexpr Geometry g = Tile::geometry();\n  float* const shared = dynamic_shared();",
                     "  Stamps stamps;\n  constexpr Geometry g = Tile::geometry();\n  float* const shared = "
                     "dynamic_shared();",
                     path);
      }
      if (path == "chang_multi/chang_multi.cu") {
        replace_once(text, "extern \"C\" __global__", std::string(guard) + "extern \"C\" __global__", path);
        replace_once(text, "  float* const shared = dynamic_shared();",
                     "  Stamps stamps;\n  float* const shared = dynamic_shared();", path);
        replace_once(text, "#pragma unroll 1\n  for (int round = 1 - g.stages;",
                     "  stamps.mark(0);\n#pragma unroll 1\n  for (int round = 1 - g.stages;", path);
        replace_once(text, "(at.slice);\n    }\n    if (round + g",
                     "(at.slice);\n      if (round == 0) stamps.mark(1);\n    }\n    if (round + g", path);
        replace_once(text, "  wait_all_but<0>();\n", "  wait_all_but<0>();\n  stamps.mark(2);\n", path);
        replace_once(
            text, "    __syncthreads();\n#pragma unroll\n    for (int e = 0;",
            "    __syncthreads();\n    if (pass == 0) stamps.mark(3);\n#pragma unroll\n    for (int e = 0;",
            path);
      }
      if (path == "chang_single/chang_single.cu") {
        replace_once(text, "using namespace tilecast::chang_single;\n",
                     "using namespace tilecast::chang_single;\n" + std::string(guard), path);
        replace_once(text, "void compute(Step step,", "void compute(Stamps& stamps, Step step,", path);
        replace_once(text, "  do {\n    float window[", "  do {\n    stamps.visit();\n    float window[",
                     path);
        replace_once(text, "      compute(current,", "      compute(stamps, current,", path);
        replace_once(text, ") compute(current,", ") compute(stamps, current,", path);
        replace_once(text, "  __builtin_assume(threadIdx.x < THREADS);\n  extern",
                     "  Stamps stamps;\n  __builtin_assume(threadIdx.x < THREADS);\n  extern", path);
        replace_once(text, "    request(0, 0, true, true);\n",
                     "    request(0, 0, true, true);\n    stamps.mark(4);\n", path);
        replace_once(
            text,
            "      wait_for_copies();  // this step's data are there, and nobody reads the other buffers "
            "any more\n",
            "      if (step == 0) stamps.mark(5);\n      wait_for_copies();\n      if (step == 0) "
            "stamps.mark(6);\n",
            path);
        replace_once(
            text,
            "      request(strip, piece, step == 0 || strips > 1, strip == 0);\n      Step current = "
            "plan_current(work.first_filter);\n      wait_for_copies();\n",
            "      request(strip, piece, step == 0 || strips > 1, strip == 0);\n      if (step == 0) "
            "stamps.mark(4);\n      Step current = plan_current(work.first_filter);\n      if (step "
            "== 0) stamps.mark(5);\n      wait_for_copies();\n      if (step == 0) stamps.mark(6);\n",
            path);
      }
    }
    for (const auto& [path, text] : texts_)
      files_.push_back({path, text});
  }
  std::span<const EmbeddedFile> files() const { return files_; }

 private:
  std::vector<std::pair<std::string, std::string>> texts_;
  std::vector<EmbeddedFile> files_;
};

struct Row {
  CounterCase c;
  LaunchPlan plan, stamped, stepped;
  bool tiled = false;
};

std::vector<Row> rows_of(const std::vector<CounterCase>& cases, const DeviceProfile& device,
                         std::uint64_t stamps, std::uint64_t steps) {
  std::vector<Row> rows;
  for (const auto& c : cases) {
    Row row{c, c.family->plan(c.shape, c.config, device), {}, {}, false};
    row.tiled = row.plan.code.source.find("gemm") != std::string_view::npos;
    const auto with = [&](std::int64_t in_steps) {
      LaunchPlan plan = row.plan;
      auto& defines = plan.code.defines;
      defines.push_back({"STAMPS", static_cast<std::int64_t>(stamps)});
      defines.push_back({"STEP_STAMPS", static_cast<std::int64_t>(steps)});
      defines.push_back({"STEPS", in_steps});
      defines.push_back({"TILED", row.tiled ? 1 : 0});
      return plan;
    };
    row.stamped = with(0);
    row.stepped = with(1);
    rows.push_back(std::move(row));
  }
  return rows;
}

struct Span {
  unsigned least = ~0U, most = 0;
  void add(unsigned v) { least = std::min(least, v), most = std::max(most, v); }
};

struct BlockRecord {
  unsigned sm = 0, grid = 0, time = 0;
  Span begin, first, last, end, marks[8];
};

// Of the launch that wrote half `half` of the stamps.
std::vector<BlockRecord> blocks_of(const std::vector<unsigned>& words, const LaunchPlan& plan,
                                   unsigned half) {
  const auto warps = static_cast<std::size_t>(plan.threads / 32);
  const auto count = std::min<std::size_t>(static_cast<std::size_t>(plan.grid_x * plan.grid_y * plan.grid_z),
                                           most_warps / warps);
  std::vector<BlockRecord> blocks(count);
  std::map<unsigned, unsigned> zero;  // by SM
  const auto word = [&](std::size_t block, std::size_t warp, std::size_t i) {
    return words[(half * most_warps + block * warps + warp) * stamp_words + i];
  };
  for (std::size_t b = 0; b < count; ++b) {
    blocks[b].sm = word(b, 0, 7) & 255;
    blocks[b].grid = word(b, 0, 7) >> 8;
    const unsigned begin = word(b, 0, 0);
    const auto [found, fresh] = zero.emplace(blocks[b].sm, begin);
    // Clocks wrap around: differences do not.
    for (std::size_t w = 0; w < warps; ++w)
      if (static_cast<int>(word(b, w, 0) - found->second) < 0) found->second = word(b, w, 0);
  }
  for (std::size_t b = 0; b < count; ++b) {
    auto& block = blocks[b];
    const unsigned from = zero[block.sm];
    for (std::size_t w = 0; w < warps; ++w) {
      block.begin.add(word(b, w, 0) - from);
      block.first.add(word(b, w, 1) - from);
      block.last.add(word(b, w, 4) - from);
      block.end.add(word(b, w, 5) - from);
      for (std::size_t m = 0; m < 8; ++m)
        block.marks[m].add(word(b, w, 8 + m) - from);
      block.time = word(b, w, 6);
    }
  }
  return blocks;
}

void write_blocks(const std::string& path, const std::vector<BlockRecord>& blocks) {
  std::ofstream out(path);
  out << "block,sm,begin,begin_most,first,first_most,last,last_most,end_least,end,ns,grid,"
         "written,written_most,met,met_most,read,read_most,left,left_most,"
         "set_up,set_up_most,asked,asked_most,come,come_most,other,other_most\n";
  const unsigned t0 = blocks.empty() ? 0 : blocks.front().time;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const auto& x = blocks[b];
    out << fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}", b, x.sm, x.begin.least, x.begin.most,
                       x.first.least, x.first.most, x.last.least, x.last.most, x.end.least, x.end.most,
                       static_cast<int>(x.time - t0), x.grid);
    for (const auto& m : x.marks)
      out << fmt::format(",{},{}", m.least, m.most);
    out << '\n';
  }
}

// Steps of the warps of the SM that holds the first block, up to 16 blocks.
void write_steps(const std::string& path, const std::vector<unsigned>& stamps,
                 const std::vector<unsigned>& steps, const LaunchPlan& plan, unsigned half) {
  const auto warps = static_cast<std::size_t>(plan.threads / 32);
  const auto blocks = blocks_of(stamps, plan, half);
  std::ofstream out(path);
  out << "block,warp,what,cycle\n";
  if (blocks.empty()) return;
  int written = 0;
  const unsigned zero = stamps[half * most_warps * stamp_words];
  for (std::size_t b = 0; b < blocks.size() && written < 16; ++b) {
    if (blocks[b].sm != blocks[0].sm) continue;
    ++written;
    for (std::size_t w = 0; w < warps; ++w) {
      const auto* const at = &stamps[(half * most_warps + b * warps + w) * stamp_words];
      const auto put = [&](std::string_view what, unsigned v) {
        out << fmt::format("{},{},{},{}\n", b, w, what, static_cast<int>(v - zero));
      };
      put("begin", at[0]), put("first", at[1]), put("last", at[4]), put("end", at[5]);
      for (std::size_t m = 0; m < 8; ++m)
        if (at[8 + m] != 0) put("mark" + std::to_string(m), at[8 + m]);
      for (std::size_t n = 0; n < most_steps; ++n) {
        const unsigned v = steps[(half * most_warps + b * warps + w) * most_steps + n];
        if (v != 0) put(std::to_string(n), v);
      }
    }
  }
}

// Of chang_single: when each warp begins to visit each of its units, of all blocks.
void write_visits(const std::string& path, const std::vector<unsigned>& stamps,
                  const std::vector<unsigned>& steps, const LaunchPlan& plan, unsigned half) {
  const auto warps = static_cast<std::size_t>(plan.threads / 32);
  const auto blocks = blocks_of(stamps, plan, half);
  std::ofstream out(path);
  out << "block,sm,warp,visit,cycle\n";
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (std::size_t w = 0; w < warps; ++w) {
      const unsigned begin = stamps[(half * most_warps + b * warps + w) * stamp_words];
      for (std::size_t n = 0; n < most_steps; ++n) {
        const unsigned v = steps[(half * most_warps + b * warps + w) * most_steps + n];
        if (v != 0)
          out << fmt::format("{},{},{},{},{}\n", b, blocks[b].sm, w, n, blocks[b].begin.least + (v - begin));
      }
    }
  }
}

int run(const std::string& cases_path, const std::string& folder, std::size_t first, std::size_t count) {
  const auto device = load_device("h200");
  auto cases = read_counter_cases(read_file(cases_path), cases_path, device);
  cases.erase(cases.begin(), cases.begin() + static_cast<std::ptrdiff_t>(std::min(first, cases.size())));
  cases.resize(std::min(count, cases.size()));
  if (gpu_count() == 0) {  // compiles only
    const StampedSources sources;
    for (const auto& row : rows_of(cases, device, std::uint64_t{1} << 45, std::uint64_t{1} << 46)) {
      const auto registers = [&](const LaunchPlan& plan, std::span<const EmbeddedFile> files) {
        const auto record = compile(plan.code, files, {9, 0}).record;
        return fmt::format("{} registers, {} spilled", record.registers, record.spill_bytes);
      };
      fmt::print("{} {}: {}; stamped {}; steps {}\n", row.c.family->name, describe_config(row.c.config),
                 registers(row.plan, kernel_sources()), registers(row.stamped, sources.files()),
                 registers(row.stepped, sources.files()));
    }
    return 0;
  }
  Gpu gpu;
  DeviceBuffer stamps(2 * most_warps * stamp_words * 4), steps(2 * most_warps * most_steps * 4);
  const StampedSources sources;
  const auto rows = rows_of(cases, device, stamps.address(), steps.address());
  std::vector<Specialisation> plain, stamped;
  for (const auto& row : rows) {
    plain.push_back(row.plan.code);
    stamped.push_back(row.stamped.code);
    stamped.push_back(row.stepped.code);
  }
  const int jobs = std::max(1U, std::thread::hardware_concurrency());
  const auto plain_code = compile_all(plain, kernel_sources(), gpu.info().architecture, jobs);
  const auto stamped_code = compile_all(stamped, sources.files(), gpu.info().architecture, jobs);
  std::ofstream summary(folder + "/summary.csv");
  summary << "row,family,shape,config,blocks,threads,registers,registers_stamped,plain_s,stamped_s,stepped_s,"
             "clock_hz\n";
  constexpr std::size_t beyond = 1 << 20;  // copies may reach beyond a tensor's end where nothing is used
  for (std::size_t n = 0; n < rows.size(); ++n) {
    const auto& row = rows[n];
    for (const auto* outcome : {&plain_code[n], &stamped_code[2 * n], &stamped_code[2 * n + 1]})
      if (!outcome->code) throw Error(ExitCode::failure, outcome->problem);
    const auto buffer = [&](std::int64_t elements) {
      const std::vector<float> ones(static_cast<std::size_t>(elements), 1.0F);
      DeviceBuffer tensor(4 * static_cast<std::size_t>(elements) + beyond);
      tensor.upload(ones.data(), 4 * ones.size());
      return tensor;
    };
    const auto& shape = row.c.shape;
    const auto input = buffer(shape.input_elements()), filters = buffer(shape.filter_elements()),
               output = buffer(shape.output_elements());
    const std::uint64_t tensors[] = {input.address(), filters.address(), output.address()};
    const TimingOptions options{.target_s = 1e-3, .replays = 7, .warmup_replays = 2};
    const Kernel kernel(*plain_code[n].code, row.plan.code.entry);
    const auto plain_time = gpu.time(kernel, row.plan, tensors, options);
    const Kernel with(*stamped_code[2 * n].code, row.plan.code.entry);
    const auto stamped_time = gpu.time(with, row.stamped, tensors, options);
    std::vector<unsigned> words(2 * most_warps * stamp_words);
    stamps.download(words.data(), 4 * words.size());
    const auto name = [&](std::string_view what) {
      return fmt::format("{}/{}_{}.csv", folder, what, first + n);
    };
    write_blocks(name("blocks"), blocks_of(words, row.stamped, 0));
    write_blocks(name("other"), blocks_of(words, row.stamped, 1));
    double stepped_s = 0;
    const bool visits = row.c.family->name == "chang_single";
    if (!row.tiled)
      write_steps(name("steps"), words, std::vector<unsigned>(most_warps * most_steps), row.stamped, 0);
    if (row.tiled || visits) {
      std::vector<unsigned> in_steps(2 * most_warps * most_steps);
      steps.upload(in_steps.data(), 4 * in_steps.size());
      const Kernel in(*stamped_code[2 * n + 1].code, row.plan.code.entry);
      stepped_s = gpu.time(in, row.stepped, tensors, options).median_s;
      stamps.download(words.data(), 4 * words.size());
      steps.download(in_steps.data(), 4 * in_steps.size());
      if (visits)
        write_visits(name("visits"), words, in_steps, row.stepped, 0);
      else
        write_steps(name("steps"), words, in_steps, row.stepped, 0);
    }
    summary << fmt::format("{},{},{},{},{},{},{},{},{:.9g},{:.9g},{:.9g},{:.6g}\n", first + n,
                           row.c.family->name, csv_field(describe_shape(shape)),
                           describe_config(row.c.config), row.plan.grid_x * row.plan.grid_y * row.plan.grid_z,
                           row.plan.threads, plain_code[n].code->record.registers,
                           stamped_code[2 * n].code->record.registers, plain_time.median_s,
                           stamped_time.median_s, stepped_s, stamped_time.sm_clock_hz);
    summary.flush();
  }
  return 0;
}

}  // namespace
}  // namespace tilecast

int main(int count, char** words) {
  if (count < 3) {
    fmt::print(stderr, "usage: block_timeline CASES.csv OUT_FOLDER [first [count]]\n");
    return 2;
  }
  try {
    return tilecast::run(words[1], words[2], count > 3 ? std::strtoul(words[3], nullptr, 10) : 0,
                         count > 4 ? std::strtoul(words[4], nullptr, 10) : 100000);
  } catch (const tilecast::Error& error) {
    fmt::print(stderr, "error: {} {}\n", error.what(), error.hint());
    return static_cast<int>(error.code());
  }
}
