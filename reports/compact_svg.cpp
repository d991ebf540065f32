#include "reports/compact_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

namespace tilecast {
namespace {

constexpr std::string_view blank = " \t\r\n";

// Reads a text from its beginning; what does not match leaves it where it was.
struct Reader {
  std::string_view rest;

  bool skip(std::string_view text) {
    if (!rest.starts_with(text)) return false;
    rest.remove_prefix(text.size());
    return true;
  }
  std::optional<std::string_view> until(std::string_view end) {
    const auto at = rest.find(end);
    if (at == std::string_view::npos) return std::nullopt;
    const auto found = rest.substr(0, at);
    rest.remove_prefix(at + end.size());
    return found;
  }
};

struct Mark {
  std::string_view symbol, scale, colour, x, y;
  bool like(const Mark& other) const {
    return symbol == other.symbol && scale == other.scale && colour == other.colour;
  }
};

// <use xlink:href='#gpPt5' transform='translate(1.00,2.00) scale(1.35)' color='#0072b2'/>
std::optional<Mark> mark_of(std::string_view line) {
  Reader r{line};
  if (!r.skip("<use xlink:href='")) return std::nullopt;
  const auto symbol = r.until("' transform='translate(");
  const auto x = r.until(",");
  const auto y = r.until(") scale(");
  const auto scale = r.until(")' color='");
  const auto colour = r.until("'/>");
  if (!symbol || !x || !y || !scale || !colour || !r.rest.empty()) return std::nullopt;
  return Mark{*symbol, *scale, *colour, *x, *y};
}

struct Polygon {
  std::string_view colour;
  std::vector<std::pair<std::string_view, std::string_view>> points;
};

// <polygon fill = '#462f7c' points = '1,4 3,4 3,2 1,2 '/>
std::optional<Polygon> polygon_of(std::string_view line) {
  Reader r{line};
  if (!r.skip("<polygon fill = '")) return std::nullopt;
  const auto colour = r.until("' points = '");
  const auto list = r.until("'/>");
  if (!colour || colour->find('\'') != std::string_view::npos || !list || !r.rest.empty())
    return std::nullopt;
  Polygon polygon{*colour, {}};
  for (Reader points{*list}; !points.rest.empty();) {
    const auto x = points.until(",");
    if (!x) return std::nullopt;
    const auto end = points.rest.find(' ');
    polygon.points.emplace_back(*x, points.rest.substr(0, end));
    points.rest.remove_prefix(end == std::string_view::npos ? points.rest.size() : end + 1);
  }
  return polygon;
}

// "M1,4H3V2H1z"
std::string outline(const Polygon& polygon) {
  std::string path;
  const std::pair<std::string_view, std::string_view>* last = nullptr;
  for (const auto& point : polygon.points) {
    const auto& [x, y] = point;
    if (last == nullptr)
      path += fmt::format("M{},{}", x, y);
    else if (y == last->second)
      path += fmt::format("H{}", x);
    else if (x == last->first)
      path += fmt::format("V{}", y);
    else
      path += fmt::format("L{},{}", x, y);
    last = &point;
  }
  return path + 'z';
}

std::string marks_path(const std::vector<Mark>& marks, std::size_t number) {
  const Mark& first = marks.front();
  // Beside the path, so that it inherits what the marks did.
  std::string out = fmt::format(
      "<marker id='mark{}' markerUnits='userSpaceOnUse' overflow='visible' color='{}'><use xlink:href='{}' "
      "transform='scale({})'/></marker>\n<path fill='none' stroke='none' ",
      number, first.colour, first.symbol, first.scale);
  for (const auto place : {"start", "mid", "end"})
    out += fmt::format("marker-{}='url(#mark{})' ", place, number);
  out += "d='M";
  for (const auto& mark : marks)
    out += fmt::format("{},{} ", mark.x, mark.y);
  out.back() = '\'';
  return out + "/>\n";
}

std::string polygon_paths(const std::vector<Polygon>& polygons) {
  std::vector<std::pair<std::string_view, std::string>> colours;  // in the order of their first polygons
  for (const auto& polygon : polygons) {
    auto at = colours.begin();
    while (at != colours.end() && at->first != polygon.colour)
      ++at;
    if (at == colours.end()) at = colours.insert(at, {polygon.colour, ""});
    at->second += outline(polygon);
  }
  std::string out;
  for (const auto& [colour, path] : colours)
    out += fmt::format("<path fill='{}' d='{}'/>\n", colour, path);
  return out;
}

// "rgb( 70,  47, 124)" as "#462f7c".
std::string hexadecimal_colours(std::string_view svg) {
  constexpr std::string_view begin = "rgb(";
  std::string out;
  out.reserve(svg.size());
  for (std::size_t from = 0;;) {
    const auto at = svg.find(begin, from);
    out += svg.substr(from, at - from);
    if (at == std::string_view::npos) return out;
    const auto end = svg.find(')', at);
    const std::string numbers(svg.substr(at + begin.size(), end - at - begin.size()));
    unsigned r = 0, g = 0, b = 0;
    if (end != std::string_view::npos && std::sscanf(numbers.c_str(), "%u ,%u ,%u", &r, &g, &b) == 3 &&
        (r | g | b) < 256) {
      out += fmt::format("#{:02x}{:02x}{:02x}", r, g, b);
      from = end + 1;
    } else {
      out += begin;
      from = at + begin.size();
    }
  }
}

std::vector<std::string_view> trimmed_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    auto line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    line.remove_prefix(std::min(line.find_first_not_of(blank), line.size()));
    line = line.substr(0, line.find_last_not_of(blank) + 1);
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

}  // namespace

std::string compact_svg(std::string_view svg) {
  constexpr std::size_t fewest = 3;  // a path of one point would bear two markers
  const auto coloured = hexadecimal_colours(svg);
  const auto lines = trimmed_lines(coloured);
  std::string out;
  std::size_t paths = 0;
  for (std::size_t i = 0; i < lines.size();) {
    std::vector<Mark> marks;
    for (std::size_t j = i; j < lines.size(); ++j) {
      const auto mark = mark_of(lines[j]);
      if (!mark || (!marks.empty() && !mark->like(marks.front()))) break;
      marks.push_back(*mark);
    }
    std::vector<Polygon> polygons;
    for (std::size_t j = i; j < lines.size(); ++j) {
      auto polygon = polygon_of(lines[j]);
      if (!polygon) break;
      polygons.push_back(std::move(*polygon));
    }
    if (marks.size() >= fewest) {
      out += marks_path(marks, ++paths);
      i += marks.size();
    } else if (polygons.size() >= fewest) {
      out += polygon_paths(polygons);
      i += polygons.size();
    } else {
      out += lines[i++];
      out += '\n';
    }
  }
  return out;
}

}  // namespace tilecast
