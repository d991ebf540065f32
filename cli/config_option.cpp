#include "cli/config_option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "cli/options.hpp"

namespace tilecast {

Config parse_config(std::string_view text, const Config& axes) {
  Config config;
  std::string list(text);
  std::ranges::replace(list, ' ', ',');  // configs are printed with blanks
  for (const auto& part : split_list(list, "--config")) {
    const auto equals = part.find('=');
    std::int64_t value = 0;
    const auto* end = part.data() + part.size();
    const bool number = equals != std::string::npos &&
                        std::from_chars(part.data() + equals + 1, end, value).ptr == end &&
                        equals + 1 < part.size();
    if (!number) throw UsageError(fmt::format("--config {}: '{}', expected NAME=INTEGER", text, part));
    const auto name = part.substr(0, equals);
    bool known = false;
    for (const auto& axis : axes.values()) {
      if (axis.name != name) continue;
      if (config.find(axis.name)) throw UsageError(fmt::format("--config {}: '{}' twice", text, name));
      config.set(axis.name, value);
      known = true;
    }
    if (!known) {
      throw UsageError(fmt::format("--config {}: no axis '{}'", text, name),
                       fmt::format("a config of this family: {}", describe_config(axes)));
    }
  }
  return config;
}

bool matches(const Config& config, const Config& wanted) {
  for (const auto& axis : wanted.values()) {
    if (config.find(axis.name) != axis.value) return false;
  }
  return true;
}

}  // namespace tilecast
