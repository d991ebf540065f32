#pragma once
// One function a subcommand, defined in the file of its name; commands.cpp lists them.

#include "cli/command.hpp"

namespace tilecast {

Command demo_command();
Command devices_command();
Command plot_command();
Command report_command();

}  // namespace tilecast
