#pragma once
// What the tests of several commands share: running the program with string streams, and a folder that goes.

#include <unistd.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/program.hpp"

namespace tilecast {

struct Outcome {
  int code;
  std::string out, err;
};

inline Outcome run_tilecast(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  const int code = run_program(arguments, commands(), {out, err});
  return {code, out.str(), err.str()};
}

// Empty at first, removed with the object. CTest runs cases side by side: each needs a name of its own, and
// the process's number keeps two runs of the tests apart.
struct Folder {
  std::filesystem::path path;
  explicit Folder(const std::string& name)
      : path(std::filesystem::temp_directory_path() /
             ("tilecast_" + name + "_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string operator/(const char* name) const { return (path / name).string(); }
};

}  // namespace tilecast
