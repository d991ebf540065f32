#pragma once
// FNV-1a, 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv): names cache entries and machine code. Not for
// anything that an adversary could choose.

#include <cstdint>
#include <string>
#include <string_view>

namespace tilecast {

class Fnv1a {
 public:
  Fnv1a& add(std::string_view bytes) {
    for (const char c : bytes) {
      state_ ^= static_cast<unsigned char>(c);
      state_ *= 0x100000001b3u;
    }
    return *this;
  }
  // A string together with its end, so that ("ab", "c") and ("a", "bc") differ.
  Fnv1a& add_field(std::string_view text) { return add(std::to_string(text.size())).add(":").add(text); }
  std::uint64_t value() const { return state_; }
  std::string hex() const;  // 16 digits

 private:
  std::uint64_t state_ = 0xcbf29ce484222325u;
};

}  // namespace tilecast
