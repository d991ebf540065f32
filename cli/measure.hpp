#pragma once
#include "cli/command.hpp"

namespace tilecast {

Command measure_command();

}  // namespace tilecast
