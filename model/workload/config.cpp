#include "model/workload/config.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace tilecast {

std::int64_t Config::operator[](std::string_view name) const {
  if (const auto value = find(name)) return *value;
  throw std::out_of_range(fmt::format("config has no '{}' ({})", name, describe_config(*this)));
}

std::string describe_config(const Config& config) {
  std::string text;
  for (const auto& v : config.values())
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", v.name, v.value);
  return text;
}

}  // namespace tilecast
