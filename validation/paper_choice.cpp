#include "validation/paper_choice.hpp"

#include <algorithm>

#include "model/support/errors.hpp"

namespace tilecast {

std::optional<paper::Partition> paper_partition(std::string_view family, const ConvShape& shape,
                                                const DeviceProfile& device) {
  if (paper::refusal(shape) || paper::family_of(shape) != family) return std::nullopt;
  try {
    return paper::chosen_partition(shape, paper::device_constants(device));
  } catch (const UnavailableError&) {  // a published profile may lack what the rules need
    return std::nullopt;
  }
}

bool is_paper_choice(const paper::Partition& partition, const Config& config) {
  const bool all = std::ranges::all_of(partition.config.values(),
                                       [&](const ConfigValue& v) { return config.find(v.name) == v.value; });
  const auto in_flight = config.find("loads_in_flight");
  return all && (!in_flight || (*in_flight == 0) == partition.hides_latency);
}

}  // namespace tilecast
