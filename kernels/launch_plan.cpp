#include "kernels/launch_plan.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace tilecast {

std::int64_t Specialisation::value(std::string_view name) const {
  const auto found = std::ranges::find(defines, name, &Define::name);
  return found == defines.end() ? 0 : found->value;
}

std::string Specialisation::key() const {
  // As many digits as a value may have, and its sign.
  constexpr std::size_t value_size = std::numeric_limits<std::int64_t>::digits10 + 2;
  constexpr std::size_t separator = 1;  // a character
  std::size_t most = source.size() + separator + entry.size();
  for (const auto& define : defines)
    most += separator + define.name.size() + separator + value_size;
  std::string text(most, ' ');
  char* at = text.data();
  const auto put = [&](std::string_view part) { at = std::copy(part.begin(), part.end(), at); };
  put(source);
  *at++ = ':';
  put(entry);
  for (const auto& define : defines) {
    ++at;  // the space
    put(define.name);
    *at++ = '=';
    at = std::to_chars(at, text.data() + most, define.value).ptr;
  }
  text.resize(static_cast<std::size_t>(at - text.data()));
  return text;
}

}  // namespace tilecast
