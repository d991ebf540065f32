#pragma once
// Machine code of kernels, by key: the committed record, else compiled here (no GPU) and read.

#include <iosfwd>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernels/code_record.hpp"
#include "kernels/launch_plan.hpp"
#include "model/device/device_profile.hpp"

namespace tilecast {

class ReadCodes {
 public:
  // Of the device's architecture. `command` begins what is said on `err`: "validate: compiled 20 of 200".
  ReadCodes(const DeviceProfile& device, std::string command, int jobs, std::ostream& err);
  ReadCodes(const ReadCodes&) = delete;  // records point at its mixes
  ReadCodes& operator=(const ReadCodes&) = delete;

  // Compiles and reads what has no committed record and was not read before. What does not compile is said
  // and stays unknown; of what compiles and cannot be read, the registers are known. Throws UnavailableError
  // where NVRTC or nvdisasm is missing, or the compiler is not that of the committed records.
  void read(const std::vector<LaunchPlan>& plans);

  const CodeRecord* find(const std::string& key) const;      // nullptr: not asked for, or does not compile
  const std::string& compiler() const { return compiler_; }  // of the records; empty: of none

 private:
  const DeviceProfile& device_;
  std::string command_;
  int jobs_;
  std::ostream& err_;
  const CodeRecords& committed_;
  std::unordered_map<std::string, const CodeRecord*> known_;  // nullptr: does not compile
  std::unordered_map<std::string, CodeRecord> compiled_;
  CodeMixes mixes_;
  std::string compiler_;
};

}  // namespace tilecast
