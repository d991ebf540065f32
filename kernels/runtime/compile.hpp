#pragma once
// NVRTC: one specialisation to machine code for one architecture, on any machine that has the library (no GPU
// needed), through a disk cache keyed by sources, constants, options and compiler version.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/code_record.hpp"
#include "kernels/launch_plan.hpp"
#include "model/support/embedded.hpp"

namespace tilecast {

struct Architecture {
  int major = 9, minor = 0;
  std::string name() const { return "sm_" + std::to_string(major) + std::to_string(minor); }
};

struct CompiledCode {
  std::vector<char> cubin;
  CodeRecord
      record;  // registers, static shared memory and spills as ptxas reports them; hash of the machine code
};

// Sources of the kernel families, embedded in the binary, paths relative to kernels/.
std::span<const EmbeddedFile> kernel_sources();

// Throws UnavailableError where NVRTC is not found, Error with the compiler's log where it does not compile.
// `sources` holds the file named by the specialisation and whatever it includes: a header is included by its
// path there ("chang_multi/params.h"), by that path below kernels/ ("kernels/chang_multi/params.h", so that
// host code can share it), or by its bare name from the same folder; one spelling a header. <cstdint> is the
// only system header. May be called from several threads.
CompiledCode compile(const Specialisation& code, std::span<const EmbeddedFile> sources, Architecture target);

struct CompileOutcome {
  std::optional<CompiledCode> code;
  std::string problem;  // why there is no code
};

// compile() for each of `codes`, in their order, `jobs` at a time (at least 1). `progress` is called after
// each, by one thread at a time, with how many are done. Throws UnavailableError where NVRTC is not found.
std::vector<CompileOutcome> compile_all(std::span<const Specialisation> codes,
                                        std::span<const EmbeddedFile> sources, Architecture target, int jobs,
                                        const std::function<void(std::size_t done)>& progress = {});

// Those that this NVRTC compiles for, oldest first; throws UnavailableError where it is not found.
std::vector<Architecture> compiler_architectures();

// "NVRTC 13.0"; throws UnavailableError where it is not found.
std::string compiler_version();

// $TILECAST_CACHE, else $XDG_CACHE_HOME/tilecast, else ~/.cache/tilecast; without a home,
// a folder of the system's temporary one.
std::string cache_folder();

}  // namespace tilecast
