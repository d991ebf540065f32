#include "kernels/specialisations.hpp"

#include <map>
#include <string>

namespace tilecast {

std::vector<Specialisation> needed_specialisations(std::span<const KernelFamily> families,
                                                   std::span<const ConvShape> layers,
                                                   const DeviceProfile& device) {
  std::map<std::string, Specialisation> by_key;
  for (const auto& family : families) {
    for (const auto& layer : layers) {
      if (family.supports(layer)) continue;
      for (const auto& config : family.configs(layer, device)) {
        if (family.feasible(layer, config, device)) continue;
        auto code = family.plan(layer, config, device).code;
        by_key.try_emplace(code.key(), std::move(code));
      }
    }
  }
  std::vector<Specialisation> needed;
  for (auto& [key, code] : by_key)
    needed.push_back(std::move(code));
  return needed;
}

}  // namespace tilecast
