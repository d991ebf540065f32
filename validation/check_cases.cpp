#include "validation/check_cases.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/chang_multi/chang_multi_cases.hpp"
#include "kernels/chang_single/chang_single_cases.hpp"
#include "kernels/implicit_gemm/implicit_gemm_cases.hpp"
#include "kernels/sgemm/sgemm_cases.hpp"
#include "model/support/errors.hpp"

namespace tilecast {
namespace {

struct FamilyCases {
  std::string_view family;
  std::vector<std::pair<ConvShape, Config>> (*cases)();
};

// A line for each family of kernels/families.cpp.
constexpr FamilyCases case_lists[] = {{"chang_single", chang_single::test_cases},
                                      {"chang_multi", chang_multi::test_cases},
                                      {"sgemm", sgemm::test_cases},
                                      {"implicit_gemm", implicit_gemm::test_cases}};

}  // namespace

std::vector<CheckCase> check_cases(std::span<const KernelFamily* const> families) {
  std::vector<CheckCase> cases;
  for (const auto* family : families) {
    const auto found = std::ranges::find(case_lists, family->name, &FamilyCases::family);
    if (found == std::end(case_lists)) {
      throw Error(ExitCode::failure, fmt::format("no test cases of the family '{}'", family->name),
                  "name them in validation/check_cases.cpp");
    }
    for (const auto& [shape, config] : found->cases())
      cases.push_back({family, shape, config});
  }
  return cases;
}

}  // namespace tilecast
