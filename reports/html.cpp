#include "reports/html.hpp"

#include <fmt/format.h>

#include "model/support/errors.hpp"
#include "reports/compact_svg.hpp"
#include "reports/gzip.hpp"

namespace tilecast {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// Removes " name=..." up to its closing quote, everywhere.
void remove_attribute(std::string& text, std::string_view name) {
  const std::string start = std::string(name) + "=";
  for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at)) {
    const std::size_t quote = at + start.size();
    const std::size_t end = text.find(text[quote], quote + 1);
    if (end == std::string::npos) return;
    text.erase(at, end + 1 - at);
  }
}

void remove_element(std::string& text, std::string_view tag) {
  const std::string open = fmt::format("<{}>", tag), close = fmt::format("</{}>", tag);
  const std::size_t from = text.find(open);
  const std::size_t to = text.find(close, from);
  if (from != std::string::npos && to != std::string::npos) text.erase(from, to + close.size() - from);
}

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string inline_svg(std::string_view svg, std::string_view name, std::string_view title) {
  const std::size_t start = svg.find("<svg");
  if (start == std::string_view::npos)
    throw Error(ExitCode::failure, fmt::format("figure '{}': gnuplot wrote no SVG", name));
  std::string text = compact_svg(svg.substr(start));
  const std::size_t open_end = text.find('>');
  std::string open = text.substr(0, open_end);
  text.erase(0, open_end);

  // The view box scales the figure to the page; a fixed size would not.
  for (const auto attribute : {"xmlns:xlink", "xmlns", "width", "height"})
    remove_attribute(open, attribute);
  open += fmt::format(" role=\"img\" aria-label=\"{}\"", html_escaped(title));

  remove_element(text, "title");
  remove_element(text, "desc");
  replace_all(text, "xlink:href=", "href=");
  const std::string own = std::string(name) + "-";
  for (const char quote : {'\'', '"'}) {
    const std::string id = std::string(" id=") + quote, href = std::string("href=") + quote + "#";
    replace_all(text, id, id + own);
    replace_all(text, href, href + own);
  }
  replace_all(text, "url(#", "url(#" + own);
  return open + text;
}

std::string csv_data_link(std::string_view csv) {
  std::string out = "data:text/csv;charset=utf-8,";
  out.reserve(csv.size() + csv.size() / 8);
  for (const char c : csv) {
    const auto u = static_cast<unsigned char>(c);
    const bool plain = (u >= '0' && u <= '9') || (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z') ||
                       std::string_view{"-_.,=:;()+*/"}.find(c) != std::string_view::npos;
    if (plain) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", u);
    }
  }
  return out;
}

std::string gzip_data_link(std::string_view packed) {
  return "data:application/gzip;base64," + base64(packed);
}

}  // namespace tilecast
