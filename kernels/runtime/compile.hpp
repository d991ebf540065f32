#pragma once
// NVRTC: one specialisation to machine code for one architecture, on any machine that has the library (no GPU
// needed), through a disk cache keyed by sources, constants, options and compiler version.

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
  CodeRecord record;  // registers, static shared memory and spills as ptxas reports them; hash of the cubin
};

// Sources of the kernel families, embedded in the binary, paths relative to kernels/.
std::span<const EmbeddedFile> kernel_sources();

// Throws UnavailableError where NVRTC is not found, Error with the compiler's log where it does not compile.
// `sources` holds the file named by the specialisation and whatever it includes.
CompiledCode compile(const Specialisation& code, std::span<const EmbeddedFile> sources, Architecture target);

// $TILECAST_CACHE, else $XDG_CACHE_HOME/tilecast, else ~/.cache/tilecast.
std::string cache_folder();

}  // namespace tilecast
