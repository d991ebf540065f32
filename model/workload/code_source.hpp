#pragma once
// How much of a kernel's machine code a prediction knows.

#include <array>
#include <optional>
#include <string_view>

namespace tilecast {

enum class CodeSource {
  own,       // the code itself was read
  similar,   // a code was read that differs in constants which hardly touch its loops
  estimated  // none was: registers and counts are formulas of the family
};

constexpr std::array<std::string_view, 3> code_source_names{"own", "similar", "estimated"};

constexpr std::string_view name_of(CodeSource source) {
  return code_source_names[static_cast<std::size_t>(source)];
}

constexpr std::optional<CodeSource> code_source_named(std::string_view name) {
  for (const auto source : {CodeSource::own, CodeSource::similar, CodeSource::estimated}) {
    if (name_of(source) == name) return source;
  }
  return std::nullopt;
}

}  // namespace tilecast
