#include "cli/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <exception>
#include <ostream>
#include <sstream>
#include <typeinfo>

#include "model/support/nearest.hpp"

namespace tilecast {

namespace po = boost::program_options;

namespace {

// "files..." repeats; "name" does not.
bool repeats(std::string_view positional) {
  return positional.ends_with("...");
}

std::string option_name(std::string_view positional) {
  return std::string(repeats(positional) ? positional.substr(0, positional.size() - 3) : positional);
}

po::options_description visible_options(const Command& command) {
  constexpr unsigned line_length = 100, description_length = 60;
  po::options_description options("Options", line_length, description_length);
  const po::options_description own = command.options();
  for (const auto& option : own.options())  // one by one: a nested group would print apart
    options.add(option);
  options.add_options()("help,h", "show this help");
  return options;
}

std::vector<std::string> long_names(const po::options_description& options) {
  std::vector<std::string> names;
  for (const auto& option : options.options())
    names.push_back(fmt::format("--{}", option->long_name()));
  return names;
}

// ", expected a whole number", by the type of the option's value.
std::string expected_of(const po::options_description& options, const po::validation_error& error) {
  std::string name = error.get_option_name();
  name.erase(0, name.find_first_not_of('-'));
  const auto* option = options.find_nothrow(name, false);
  if (option == nullptr || error.kind() != po::validation_error::invalid_option_value) return "";
  const auto* value = dynamic_cast<const po::typed_value_base*>(option->semantic().get());
  if (value == nullptr) return "";
  const auto& type = value->value_type();
  if (type == typeid(double)) return ", expected a number";
  const bool whole = type == typeid(int) || type == typeid(std::int64_t) || type == typeid(std::size_t) ||
                     type == typeid(unsigned);
  return whole ? ", expected a whole number" : "";
}

const Command& find_command(std::string_view name, std::span<const Command> commands) {
  std::vector<std::string> names{"help"};
  for (const auto& command : commands) {
    if (command.name == name) return command;
    names.emplace_back(command.name);
  }
  throw UsageError(fmt::format("unknown command '{}'", name), nearest_hint(name, names));
}

int run_command(const Command& command, const std::vector<std::string>& arguments, CommandStreams streams) {
  const auto options = parse_options(command, arguments);
  if (options.count("help")) {
    streams.out << command_help(command);
    return static_cast<int>(ExitCode::success);
  }
  return static_cast<int>(command.run(options, streams));
}

int dispatch(const std::vector<std::string>& arguments, std::span<const Command> commands,
             CommandStreams streams) {
  const std::string first = arguments.empty() ? "help" : arguments.front();
  if (first == "--version" || first == "-V") {
    streams.out << "tilecast " << program_version() << "\n";
    return static_cast<int>(ExitCode::success);
  }
  if (first == "help" || first == "--help" || first == "-h") {
    if (arguments.size() > 2) throw UsageError("help takes one command at most");
    const std::string of = arguments.size() == 2 ? arguments[1] : "help";
    const bool own = of == "help" || of == "--help" || of == "-h";
    streams.out << (own ? program_help(commands) : command_help(find_command(of, commands)));
    return static_cast<int>(ExitCode::success);
  }
  if (first.starts_with('-'))
    throw UsageError(fmt::format("unknown option '{}' before a command", first),
                     "the command comes first: tilecast COMMAND [options]");
  const Command& command = find_command(first, commands);
  return run_command(command, {arguments.begin() + 1, arguments.end()}, streams);
}

}  // namespace

std::string_view program_version() {
  return TILECAST_VERSION;
}

po::variables_map parse_options(const Command& command, const std::vector<std::string>& arguments) {
  const auto visible = visible_options(command);
  po::options_description all;
  all.add(visible);
  po::positional_options_description positional;
  for (const auto name : command.positional) {
    const std::string option = option_name(name);
    positional.add(option.c_str(), repeats(name) ? -1 : 1);
    if (visible.find_nothrow(option, false)) continue;  // the command describes it itself
    if (repeats(name)) {
      all.add_options()(option.c_str(), po::value<std::vector<std::string>>());
    } else {
      all.add_options()(option.c_str(), po::value<std::string>());
    }
  }
  // Guessing off: an abbreviation that works today would change its meaning with the next option.
  const auto style = po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
  po::variables_map parsed;
  try {
    po::store(po::command_line_parser(arguments).options(all).positional(positional).style(style).run(),
              parsed);
    if (!parsed.count("help")) po::notify(parsed);
  } catch (const po::unknown_option& error) {
    const std::string name = error.get_option_name();
    throw UsageError(fmt::format("{}: unknown option '{}'", command.name, name),
                     nearest_hint(name, long_names(visible)));
  } catch (const po::too_many_positional_options_error&) {
    throw UsageError(fmt::format("{}: too many arguments", command.name),
                     fmt::format("usage: tilecast {}", command.usage));
  } catch (const po::validation_error& error) {
    throw UsageError(fmt::format("{}: {}{}", command.name, error.what(), expected_of(visible, error)),
                     fmt::format("'tilecast {} --help' lists the options", command.name));
  } catch (const po::error& error) {
    throw UsageError(fmt::format("{}: {}", command.name, error.what()),
                     fmt::format("'tilecast {} --help' lists the options", command.name));
  }
  return parsed;
}

std::string command_help(const Command& command) {
  std::ostringstream out;
  out << "Usage: tilecast " << command.usage << "\n\n" << command.summary << "\n";
  if (command.needs_gpu) out << "Needs an NVIDIA GPU.\n";
  out << "\n" << visible_options(command);
  if (!command.examples.empty()) {
    out << "\nExamples:\n";
    std::istringstream lines{std::string(command.examples)};
    for (std::string line; std::getline(lines, line);)
      out << "  " << line << "\n";
  }
  return out.str();
}

std::string program_help(std::span<const Command> commands) {
  std::size_t width = 4;
  for (const auto& command : commands)
    width = std::max(width, command.name.size());
  std::string out =
      "tilecast forecasts how fast a tiled GPU kernel will run, for every way of dividing its data,\n"
      "then runs the real kernel and shows how wrong the forecast was.\n\n"
      "Usage: tilecast COMMAND [options]\n\nCommands:\n";
  for (const auto& command : commands)
    out += fmt::format("  {:<{}}  {}{}\n", command.name, width, command.summary,
                       command.needs_gpu ? " (needs a GPU)" : "");
  out += fmt::format("  {:<{}}  {}\n", "help", width, "show this, or the help of a command");
  out +=
      "\n'tilecast COMMAND --help' lists a command's options.\n"
      "Exit codes: 0 success, 1 failure, 2 usage, 3 invalid input, 4 gate failed, 5 capability missing,\n"
      "6 wrong result, 7 incomplete, 130 interrupted.\n";
  return out;
}

int run_program(const std::vector<std::string>& arguments, std::span<const Command> commands,
                CommandStreams streams) {
  try {
    const int code = dispatch(arguments, commands, streams);
    streams.out.flush();
    // A full disk must not look like success.
    if (!streams.out) throw Error(ExitCode::failure, "cannot write the output");
    return code;
  } catch (const Error& error) {
    streams.err << "error: " << error.what() << "\n";
    if (!error.hint().empty()) streams.err << "hint: " << error.hint() << "\n";
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    streams.err << "error: " << error.what() << "\n";
    return static_cast<int>(ExitCode::failure);
  }
}

}  // namespace tilecast
