#pragma once
// Machine code of kernels, by key: the committed record, else compiled here (no GPU) and read. Of code that
// is known, launches that do much more or less than those it was read at are read, too.

#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cli/code_mixes.hpp"
#include "kernels/code_record.hpp"
#include "model/device/device_profile.hpp"

namespace tilecast {

class ReadCodes {
 public:
  // Of the device's architecture. `command` begins what is said on `err`: "validate: compiled 20 of 200".
  ReadCodes(const DeviceProfile& device, std::string command, int jobs, std::ostream& err);
  ReadCodes(const ReadCodes&) = delete;  // records point at its mixes
  ReadCodes& operator=(const ReadCodes&) = delete;

  // Compiles what has no record yet, and reads of each code the launches that its mixes do not cover. What
  // does not compile is said and stays unknown; of what compiles and cannot be read, the registers are known.
  // Throws UnavailableError where NVRTC or nvdisasm is missing, or the compiler is not that of the committed
  // records; if all have records, that is said instead.
  void read(const std::vector<CodeLaunch>& launches);

  const CodeRecord* find(const std::string& key) const;      // nullptr: not asked for, or does not compile
  const std::string& compiler() const { return compiler_; }  // of the records; empty: of none

 private:
  using Launches = std::vector<const CodeLaunch*>;
  // By key, what is to be read.
  std::map<std::string, Launches> unread(const std::vector<CodeLaunch>& launches);
  void compile_and_read(const std::map<std::string, Launches>& unread);

  const DeviceProfile& device_;
  std::string command_;
  int jobs_;
  std::ostream& err_;
  const CodeRecords& committed_;
  std::unordered_map<std::string, std::optional<CodeRecord>> known_;  // nullopt: does not compile
  CodeMixes mixes_;  // of code that was read here, with what was committed of it
  std::string compiler_;
};

}  // namespace tilecast
