#include "microbench/loaded_settings.hpp"

#include <fmt/format.h>

#include "model/support/errors.hpp"

namespace tilecast {

double StreamSetting::bytes_in_flight(int sms) const {
  return streams ? 32.0 * 16 * loads * warps * sms : 0;
}

std::vector<StreamSetting> loaded_settings(bool quick) {
  std::vector<StreamSetting> settings = {{1, 1, 0, false}};
  for (const unsigned pause : {40000U, 10000U, 4000U, 1500U, 500U})
    settings.push_back({1, 1, pause, true});
  // Few loads a thread while warps suffice: many small requests are the smoothest load.
  for (const int warps : {1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32})
    settings.push_back({1, warps, 0, true});
  for (const int warps : {18, 20, 22, 24, 26, 28, 30, 32})
    settings.push_back({2, warps, 0, true});
  for (const int warps : {20, 24, 32})
    settings.push_back({4, warps, 0, true});
  if (!quick) return settings;
  std::vector<StreamSetting> fewer;
  for (std::size_t i = 0; i < settings.size(); i += 3)
    fewer.push_back(settings[i]);
  fewer.push_back(settings.back());
  return fewer;
}

LoadedWalk loaded_walk(const StreamSetting& setting, StreamCover cover, std::size_t blocks,
                       std::size_t vectors, std::size_t start) {
  constexpr std::size_t granule = 32 * 4;  // a multiple of each setting's batch
  const bool together = cover == StreamCover::together;
  const std::size_t part = (together ? vectors : vectors / blocks) / granule * granule;
  const std::size_t block = 32UL * static_cast<std::size_t>(setting.loads * setting.warps);
  const LoadedWalk walk{part, together ? 0 : part, start % part / granule * granule, together ? block : 0,
                        together ? block * blocks : block};
  if (walk.stride > walk.vectors) {
    throw Error(ExitCode::failure, fmt::format("a round of {} vectors is more than the {} there are",
                                               walk.stride, walk.vectors));
  }
  return walk;
}

}  // namespace tilecast
