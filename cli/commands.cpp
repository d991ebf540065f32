#include "cli/commands.hpp"

namespace tilecast {

// THE list, in the order of `tilecast help`.
std::span<const Command> commands() {
  static const std::vector<Command> list{
      demo_command(),     doctor_command(),  devices_command(), measure_command(), predict_command(),
      simulate_command(), explain_command(), code_command(),    compile_command(), validate_command(),
      compare_command(),  plot_command(),    report_command(),
  };
  return list;
}

}  // namespace tilecast
