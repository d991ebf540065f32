#pragma once
// A GPU's name as the driver says it, as names of files and of profiles.

#include <string>
#include <string_view>

namespace tilecast {

// "NVIDIA H200" -> "nvidia-h200": a folder's name.
std::string folder_name(std::string_view gpu_name);
// "NVIDIA GeForce GTX 1080 Ti" -> "gtx-1080-ti": lower case, without the makers' words.
std::string profile_name(std::string_view gpu_name);

}  // namespace tilecast
