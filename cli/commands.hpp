#pragma once
// One function a subcommand, defined in the file of its name; commands.cpp lists them.

#include "cli/command.hpp"

namespace tilecast {

Command code_command();
Command compile_command();
Command compare_command();
Command demo_command();
Command devices_command();
Command doctor_command();
Command explain_command();
Command measure_command();
Command plot_command();
Command predict_command();
Command simulate_command();
Command report_command();
Command validate_command();

}  // namespace tilecast
