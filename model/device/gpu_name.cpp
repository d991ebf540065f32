#include "model/device/gpu_name.hpp"

#include <cctype>

namespace tilecast {

std::string folder_name(std::string_view gpu_name) {
  std::string name;
  for (const char c : gpu_name) {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (!name.empty() && name.back() == '-')
    name.pop_back();
  return name;
}

std::string profile_name(std::string_view gpu_name) {
  std::string name = folder_name(gpu_name);
  for (const std::string_view word : {"nvidia-", "tesla-", "geforce-", "quadro-"}) {
    if (name.starts_with(word) && name.size() > word.size()) name.erase(0, word.size());
  }
  return name;
}

}  // namespace tilecast
