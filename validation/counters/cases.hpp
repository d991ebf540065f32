#pragma once
// The runs whose instructions are counted twice: by the profiler and from the machine code.

#include <string_view>
#include <vector>

#include "kernels/family.hpp"

namespace tilecast {

struct CounterCase {
  const KernelFamily* family = nullptr;
  ConvShape shape;
  Config config;
};

// Rows of a CSV with the columns family,N,C,H,W,M,K,stride,pad,config ("P=4 Q=1") and optionally
// dilation; `name` is for messages.
// Throws InputError for a row whose config the family does not offer on this device, or cannot run.
std::vector<CounterCase> read_counter_cases(std::string_view csv, std::string_view name,
                                            const DeviceProfile& device);

// validation/counters/cases.csv.
std::string_view counter_cases_csv();

}  // namespace tilecast
