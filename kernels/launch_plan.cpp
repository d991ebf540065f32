#include "kernels/launch_plan.hpp"

#include <algorithm>
#include <charconv>

namespace tilecast {

std::string Specialisation::key() const {
  constexpr std::size_t of_a_value = 22;  // with a space and '='
  std::size_t most = source.size() + 1 + entry.size();
  for (const auto& define : defines)
    most += define.name.size() + of_a_value;
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
