#include "kernels/runtime/cuda_error.hpp"

#include <fmt/format.h>

namespace tilecast {

std::string cuda_error_text(std::string_view call, std::string_view file, long line, std::string_view name,
                            std::string_view text) {
  file.remove_prefix(file.find_last_of('/') + 1);  // npos + 1 is 0: nothing to cut
  return fmt::format("{}:{}: {}: {}{}{}", file, line, call, name, text.empty() ? "" : ": ", text);
}

}  // namespace tilecast
