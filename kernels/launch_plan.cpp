#include "kernels/launch_plan.hpp"

#include <fmt/format.h>

#include <iterator>

namespace tilecast {

std::string Specialisation::key() const {
  std::string text = fmt::format("{}:{}", source, entry);
  for (const auto& define : defines)
    fmt::format_to(std::back_inserter(text), " {}={}", define.name, define.value);
  return text;
}

}  // namespace tilecast
