#include "kernels/runtime/compile.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "kernels/runtime/code_cache.hpp"
#include "kernels/runtime/hash.hpp"
#include "kernels/runtime/machine_code.hpp"
#include "kernels/runtime/nvrtc.hpp"
#include "kernels/runtime/source_set.hpp"

namespace tilecast {
namespace {

// NVRTC has no standard headers; the fixed-width types are all that host and device share.
constexpr std::string_view cstdint_header = R"(#pragma once
using int8_t = signed char;
using uint8_t = unsigned char;
using int16_t = short;
using uint16_t = unsigned short;
using int32_t = int;
using uint32_t = unsigned int;
using int64_t = long;
using uint64_t = unsigned long;
namespace std {
using ::int8_t, ::uint8_t, ::int16_t, ::uint16_t, ::int32_t, ::uint32_t, ::int64_t, ::uint64_t;
}
)";

struct Program {
  nvrtcProgram handle = nullptr;
  ~Program() {
    if (handle) nvrtc().nvrtcDestroyProgram(&handle);  // a destructor has nobody to tell of a failure
  }
};

std::vector<std::string> compile_options(const Specialisation& code, Architecture target) {
  std::vector<std::string> options = {
      "--gpu-architecture=" + target.name(),
      "-std=c++17",
      "-default-device",
      "-lineinfo",
      "--no-cache",          // NVRTC's own cache returns machine code without the log; ours keeps both
      "--ptxas-options=-v",  // registers and shared memory go to the log
  };
  for (const auto& define : code.defines)
    options.push_back(fmt::format("-D{}={}", define.name, define.value));
  return options;
}

std::string cache_key(const Specialisation& code, std::span<const EmbeddedFile> used,
                      const std::vector<std::string>& options) {
  Fnv1a hash;
  for (const auto& file : used)
    hash.add_field(file.path).add_field(file.text);
  hash.add_field(cstdint_header);
  return fmt::format("{} nvrtc {}.{} sources {} {}", code.key(), nvrtc().major, nvrtc().minor, hash.hex(),
                     fmt::join(options, " "));
}

std::string program_log(nvrtcProgram program) {
  std::size_t size = 0;
  TILECAST_NVRTC(nvrtcGetProgramLogSize(program, &size));
  std::string log(size, '\0');
  TILECAST_NVRTC(nvrtcGetProgramLog(program, log.data()));
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n'))
    log.pop_back();
  return log;
}

std::vector<int> known_architectures() {
  int count = 0;
  TILECAST_NVRTC(nvrtcGetNumSupportedArchs(&count));
  std::vector<int> known(static_cast<std::size_t>(count));
  TILECAST_NVRTC(nvrtcGetSupportedArchs(known.data()));
  return known;
}

void check_architecture(Architecture target) {
  const auto known = known_architectures();
  if (std::ranges::find(known, 10 * target.major + target.minor) == known.end())
    throw UnavailableError(fmt::format("{} cannot compile for {}; it knows sm_{}", compiler_version(),
                                       target.name(), fmt::join(known, ", sm_")),
                           "use a CUDA toolkit that supports this GPU");
}

CompiledCode compile_uncached(const Specialisation& code, std::span<const EmbeddedFile> used,
                              const std::vector<std::string>& options) {
  std::vector<std::string> names = {"cstdint"}, texts = {std::string(cstdint_header)};
  for (const auto& file : used.subspan(1)) {
    for (auto& name : include_names(file.path, code.source)) {
      names.push_back(std::move(name));
      texts.emplace_back(file.text);
    }
  }
  const auto pointers = [](const std::vector<std::string>& strings) {
    std::vector<const char*> result;
    for (const auto& s : strings)
      result.push_back(s.c_str());
    return result;
  };
  Program program;
  TILECAST_NVRTC(nvrtcCreateProgram(&program.handle, std::string(used.front().text).c_str(),
                                    std::string(code.source).c_str(), static_cast<int>(names.size()),
                                    pointers(texts).data(), pointers(names).data()));
  const nvrtcResult result =
      nvrtc().nvrtcCompileProgram(program.handle, static_cast<int>(options.size()), pointers(options).data());
  const std::string log = program_log(program.handle);
  if (result != NVRTC_SUCCESS)
    throw Error(ExitCode::failure, fmt::format("{} does not compile ({}):\n{}", code.key(),
                                               nvrtc().nvrtcGetErrorString(result), log));
  CompiledCode compiled;
  std::size_t size = 0;
  TILECAST_NVRTC(nvrtcGetCUBINSize(program.handle, &size));
  compiled.cubin.resize(size);
  TILECAST_NVRTC(nvrtcGetCUBIN(program.handle, compiled.cubin.data()));
  compiled.record = parse_ptxas_log(log, code.entry);
  compiled.record.code_hash = code_hash(compiled.cubin);
  return compiled;
}

}  // namespace

std::string compiler_version() {
  const auto& api = nvrtc();
  return fmt::format("NVRTC {}.{}", api.major, api.minor);
}

std::vector<Architecture> compiler_architectures() {
  auto known = known_architectures();
  std::ranges::sort(known);
  std::vector<Architecture> all;
  for (const int number : known)
    all.push_back({number / 10, number % 10});
  return all;
}

CompiledCode compile(const Specialisation& code, std::span<const EmbeddedFile> sources, Architecture target) {
  const auto used = reachable_sources(code.source, sources);
  const auto options = compile_options(code, target);
  const std::string key = cache_key(code, used, options);
  const std::string folder = cache_folder() + "/code";
  const std::string name = Fnv1a().add(key).hex() + ".code";
  if (auto cached = load_cached(folder, name, key)) return std::move(*cached);
  check_architecture(target);
  auto compiled = compile_uncached(code, used, options);
  store_cached(folder, name, key, compiled);
  return compiled;
}

std::vector<CompileOutcome> compile_all(std::span<const Specialisation> codes,
                                        std::span<const EmbeddedFile> sources, Architecture target, int jobs,
                                        const std::function<void(std::size_t done)>& progress) {
  nvrtc();  // not there: say so once, not once a kernel
  std::vector<CompileOutcome> outcomes(codes.size());
  std::atomic<std::size_t> next{0};
  std::size_t done = 0;
  std::mutex progress_lock;
  const auto work = [&] {
    for (std::size_t i = next++; i < codes.size(); i = next++) {
      try {
        outcomes[i].code = compile(codes[i], sources, target);
      } catch (const std::exception& error) {
        outcomes[i].problem = error.what();
      }
      const std::lock_guard lock(progress_lock);
      ++done;
      if (progress) progress(done);
    }
  };
  std::vector<std::jthread> threads;
  for (int i = 1; i < std::min<std::int64_t>(jobs, static_cast<std::int64_t>(codes.size())); ++i)
    threads.emplace_back(work);
  work();
  threads.clear();  // joins
  return outcomes;
}

}  // namespace tilecast
