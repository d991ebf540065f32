#include "cli/commands.hpp"

namespace tilecast {

// THE list, in the order of `tilecast help`.
std::span<const Command> commands() {
  static const std::vector<Command> list{
      devices_command(),
      measure_command(),
  };
  return list;
}

}  // namespace tilecast
