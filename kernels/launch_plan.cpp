#include "kernels/launch_plan.hpp"

#include <array>
#include <charconv>

namespace tilecast {

std::string Specialisation::key() const {
  constexpr std::size_t of_a_define = 24;  // about
  std::string text;
  text.reserve(source.size() + entry.size() + of_a_define * defines.size());
  text.append(source).append(1, ':').append(entry);
  for (const auto& define : defines) {
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), define.value).ptr;
    text.append(1, ' ').append(define.name).append(1, '=').append(digits.data(), end);
  }
  return text;
}

}  // namespace tilecast
