#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include <unistd.h>

#include "cli/commands.hpp"
#include "cli/program.hpp"

namespace {

// Only async-signal-safe calls. Nothing is lost: rows are synced one by one, and whole files are renamed into
// place when they are complete.
extern "C" void on_interrupt(int) {
  constexpr char message[] = "\ninterrupted\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, message, sizeof(message) - 1);
  _exit(static_cast<int>(tilecast::ExitCode::interrupted));
}

}  // namespace

int main(int count, char** values) {
  std::signal(SIGINT, on_interrupt);
  std::ios::sync_with_stdio(false);
  const std::vector<std::string> arguments(values + (count > 0 ? 1 : 0), values + count);
  return tilecast::run_program(arguments, tilecast::commands(), {std::cout, std::cerr});
}
