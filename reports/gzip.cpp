#include "reports/gzip.hpp"

#include <zlib.h>

#include <algorithm>

#include "model/support/errors.hpp"

namespace tilecast {

std::string gzip(std::string_view text) {
  constexpr int gzip_window = 15 + 16;  // zlib's largest window; 16 more: gzip's header
  constexpr int most_memory = 9;
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzip_window, most_memory, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    throw Error(ExitCode::failure, "zlib has no memory");
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<z_const Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) throw Error(ExitCode::failure, "zlib did not compress to the end");
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    unsigned group = 0;
    for (std::size_t i = 0; i < 3; ++i)
      group = group << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i)
      out += i <= count ? digits[group >> (18 - 6 * i) & 63] : '=';
  }
  return out;
}

}  // namespace tilecast
