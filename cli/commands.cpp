#include "cli/commands.hpp"

#include "cli/measure.hpp"

namespace tilecast {

// THE list, in the order of `tilecast help`.
std::span<const Command> commands() {
  static const std::vector<Command> list{
      devices_command(),
      measure_command(),
      doctor_command(),
      predict_command(),
      explain_command(),
  };
  return list;
}

}  // namespace tilecast
