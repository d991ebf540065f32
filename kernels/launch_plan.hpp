#pragma once
// A launch as plain data: which source to specialise, with which constants, over which grid, with which
// arguments. A family makes it without any CUDA header, so it is tested on machines that have none; the
// runtime (kernels/runtime) compiles and runs it.
//
// Every kernel has the signature
//   extern "C" __global__ void ENTRY(const float* input, const float* filters, float* output, Params params)
// where Params is a plain struct in a header that host and device share.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "model/units/quantity.hpp"

namespace tilecast {

struct Define {
  std::string_view name;
  std::int64_t value;
};

// What is compiled: one code record serves every layer that needs these constants.
struct Specialisation {
  std::string_view source;  // path below kernels/, e.g. "chang_multi/chang_multi.cu"
  std::string_view entry;   // the kernel's extern "C" name
  std::vector<Define> defines;
  // "chang_multi/chang_multi.cu:chang_multi K=3 S_BYTES=32 ...": names the code record.
  std::string key() const;
  // Of a constant; 0 where the code has none of that name.
  std::int64_t value(std::string_view name) const;
};

struct LaunchPlan {
  Specialisation code;
  std::int64_t grid_x = 1, grid_y = 1, grid_z = 1;
  std::int64_t threads = 32;
  std::int64_t min_blocks = 1;  // on an SM, that the code's launch bounds keep registers for
  std::int64_t cluster_x = 1;   // blocks of a cluster; more than 1 needs compute capability 9.0
  // Where x counts tiles of two axes: tiles along the faster one, a cluster for each of them; else 0.
  std::int64_t tiles_in_row = 0;
  std::int64_t dynamic_shared_bytes = 0;
  std::vector<std::byte> params;
};

template <class Params>
std::vector<std::byte> as_params(const Params& params) {
  static_assert(std::is_trivially_copyable_v<Params>);
  std::vector<std::byte> bytes(sizeof(Params));
  std::memcpy(bytes.data(), &params, sizeof(Params));
  return bytes;
}

}  // namespace tilecast
