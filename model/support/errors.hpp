#pragma once
// What ends a command. Thrown anywhere, caught once in cli/main.cpp, which prints the message and exits with
// the code of its kind. Expected refusals ("this family cannot do stride 2") are values, not exceptions.

#include <stdexcept>
#include <string>

namespace tilecast {

enum class ExitCode {
  success = 0,
  failure = 1,        // internal or I/O
  usage = 2,          // the command line's form: command, option, number of values
  invalid_input = 3,  // a file, value or unknown name: says where, what, and what was expected
  gate_failed = 4,    // e.g. compare --fail-over
  unavailable = 5,    // a capability is missing: says the remedy
  wrong_result = 6,   // a kernel's output does not match the reference
  incomplete = 7,     // partial results were kept
  interrupted = 130,
};

class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message, std::string hint = "")
      : std::runtime_error(message), code_(code), hint_(std::move(hint)) {}
  ExitCode code() const { return code_; }
  const std::string& hint() const { return hint_; }  // what to try; empty when there is nothing to add

 private:
  ExitCode code_;
  std::string hint_;
};

struct UsageError : Error {
  explicit UsageError(const std::string& message, std::string hint = "")
      : Error(ExitCode::usage, message, std::move(hint)) {}
};
struct InputError : Error {
  explicit InputError(const std::string& message, std::string hint = "")
      : Error(ExitCode::invalid_input, message, std::move(hint)) {}
};
struct UnavailableError : Error {
  explicit UnavailableError(const std::string& message, std::string hint = "")
      : Error(ExitCode::unavailable, message, std::move(hint)) {}
};

}  // namespace tilecast
