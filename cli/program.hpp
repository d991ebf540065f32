#pragma once
// The program without main(): the first word chooses the command, its options are parsed, errors become exit
// codes. Tests call it with string streams.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"

namespace tilecast {

// "0.1.0"
std::string_view program_version();

// `arguments` are those after the program's name. Returns the exit code; throws nothing.
int run_program(const std::vector<std::string>& arguments, std::span<const Command> commands,
                CommandStreams streams);

// Options of one command, `--help` and hidden positional arguments included.
boost::program_options::variables_map parse_options(const Command& command,
                                                    const std::vector<std::string>& arguments);

std::string program_help(std::span<const Command> commands);
std::string command_help(const Command& command);

}  // namespace tilecast
