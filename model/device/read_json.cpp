#include "model/device/read_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "model/support/errors.hpp"

namespace tilecast {

using nlohmann::json;

json read_json(std::string_view source, std::string_view file) {
  std::vector<std::set<std::string>> open;
  const auto watch = [&](int, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::object_start) open.emplace_back();
    if (event == json::parse_event_t::object_end) open.pop_back();
    if (event == json::parse_event_t::key && !open.back().insert(value.get<std::string>()).second)
      throw InputError(
          fmt::format("{}: key '{}' appears twice in one object", file, value.get<std::string>()));
    return true;
  };
  const auto place = [&](std::size_t byte) {
    const auto before = source.substr(0, std::min(byte, source.size()));
    const auto line = 1 + std::ranges::count(before, '\n');
    const auto newline = before.rfind('\n');
    const auto column = newline == std::string_view::npos ? before.size() : before.size() - newline - 1;
    return fmt::format("{}:{}:{}", file, line, std::max<std::size_t>(column, 1));
  };
  // "[json.exception.parse_error.101] parse error at line 1, column 2: WHAT": only WHAT is for the reader.
  const auto reason = [](std::string_view what) {
    const auto end = what.find(": ");
    return std::string(end == std::string_view::npos ? what : what.substr(end + 2));
  };
  try {
    return json::parse(source.begin(), source.end(), watch);
  } catch (const json::parse_error& error) {
    throw InputError(fmt::format("{}: not JSON: {}", place(error.byte), reason(error.what())));
  } catch (const json::out_of_range& error) {  // "number overflow parsing '1e999'"
    const std::string_view what = error.what();
    const auto quote = what.find('\'');
    const std::string token(
        quote == std::string_view::npos ? "" : what.substr(quote + 1, what.rfind('\'') - quote - 1));
    const auto at = token.empty() ? std::string_view::npos : source.find(token);
    throw InputError(fmt::format("{}: '{}', expected a finite number",
                                 at == std::string_view::npos ? std::string(file) : place(at + 1), token));
  }
}

}  // namespace tilecast
