#pragma once
// A subcommand: its options in one Boost.Program_options description (help is made from it), and a function
// from parsed options to an exit code. Data goes to `out`, progress and messages to `err`.

#include <boost/program_options.hpp>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/support/errors.hpp"

namespace tilecast {

struct CommandStreams {
  std::ostream& out;
  std::ostream& err;
};

struct Command {
  std::string_view name;
  std::string_view summary;   // one line of `tilecast help`
  std::string_view usage;     // "predict [options]"
  std::string_view examples;  // shown under the options; each line runs as it is
  bool needs_gpu = false;
  boost::program_options::options_description (*options)();
  std::vector<std::string_view>
      positional;  // names of positional arguments; the last may repeat ("files...")
  ExitCode (*run)(const boost::program_options::variables_map&, CommandStreams);
};

std::span<const Command> commands();

}  // namespace tilecast
