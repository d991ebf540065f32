#include "microbench/loaded_settings.hpp"

#include "tests/catch.hpp"

namespace tilecast {

TEST_CASE("loaded settings: from none to 64 KiB a SM in flight, never less than before") {
  const auto settings = loaded_settings(false);
  CHECK_FALSE(settings.front().streams);
  CHECK(settings.front().bytes_in_flight(131) == 0);
  CHECK(settings[1].bytes_in_flight(1) == 512);
  CHECK(settings.back().bytes_in_flight(1) == 65536);
  for (std::size_t i = 2; i < settings.size(); ++i) {
    const bool less_pause = settings[i].pause < settings[i - 1].pause;
    CHECK((less_pause || settings[i].bytes_in_flight(1) > settings[i - 1].bytes_in_flight(1)));
    CHECK(settings[i].warps <= 32);
  }
  const auto quick = loaded_settings(true);
  CHECK(quick.size() < settings.size() / 2);
  CHECK(quick.back().bytes_in_flight(1) == 65536);
}

}  // namespace tilecast
