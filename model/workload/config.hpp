#pragma once
// A config: the values that a kernel family leaves open, by name, in the family's own order
// (P and Q; S_bytes, M_tile and Wx_tile; ...). All are integers.

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tilecast {

struct ConfigValue {
  std::string_view name;  // a string literal of the family
  std::int64_t value = 0;
  friend bool operator==(const ConfigValue&, const ConfigValue&) = default;
};

class Config {
 public:
  static constexpr std::size_t capacity = 10;
  Config() = default;
  Config(std::initializer_list<ConfigValue> values) {
    for (const auto& v : values)
      set(v.name, v.value);
  }
  void set(std::string_view name, std::int64_t value) {
    for (std::size_t i = 0; i < size_; ++i) {
      if (same_name(values_[i].name, name)) {
        values_[i].value = value;
        return;
      }
    }
    values_.at(size_++) = {name, value};  // at(): more than `capacity` axes is a programmer's error
  }
  std::optional<std::int64_t> find(std::string_view name) const {
    for (const auto& v : values()) {
      if (same_name(v.name, name)) return v.value;
    }
    return std::nullopt;
  }
  // Throws std::out_of_range when the family has no such axis.
  std::int64_t operator[](std::string_view name) const;
  std::span<const ConfigValue> values() const { return {values_.data(), size_}; }
  friend bool operator==(const Config& a, const Config& b) {
    return std::ranges::equal(a.values(), b.values());
  }

 private:
  // Names are short: their ends tell most of them apart, which costs less than to compare them. Most that are
  // the same are one literal.
  static bool same_name(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    if (a.data() == b.data() || a.empty()) return true;
    return a.front() == b.front() && a.back() == b.back() && a == b;
  }

  std::array<ConfigValue, capacity> values_{};
  std::size_t size_ = 0;
};

// "P=4 Q=1": for messages and keys.
std::string describe_config(const Config& config);

}  // namespace tilecast
