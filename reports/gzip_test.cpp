#include "reports/gzip.hpp"

#include <zlib.h>

#include "tests/catch.hpp"

using namespace tilecast;

namespace {

std::string unpacked(std::string bytes, std::size_t size) {
  std::string out(size + 1, '\0');
  z_stream stream{};
  REQUIRE(inflateInit2(&stream, 15 + 16) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  CHECK(inflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

}  // namespace

TEST_CASE("gzip: unpacks to the same bytes, the same each time", "[reports]") {
  std::string text;
  for (int i = 0; i < 3000; ++i)
    text += std::to_string(i * i) + (i % 7 == 0 ? "\n" : ",\xc2\xb5\xff");
  for (const auto& t : {std::string{}, std::string("a"), text}) {
    const auto packed = gzip(t);
    CHECK(unpacked(packed, t.size()) == t);
    CHECK(packed == gzip(t));
  }
  CHECK(gzip(text).size() < text.size());
}

TEST_CASE("base64: RFC 4648's own examples, and bytes above 127", "[reports]") {
  CHECK(base64("").empty());
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(base64("foobar") == "Zm9vYmFy");
  CHECK(base64("\xff\xfe\xfd") == "//79");
}
