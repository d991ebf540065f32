#include "microbench/loaded_settings.hpp"

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

}  // namespace tilecast
