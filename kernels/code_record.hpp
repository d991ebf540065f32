#pragma once
// What the compiler made of one specialisation for one architecture. Records are committed
// (kernels/code_records/sm_90.csv), so that occupancy is exact without the toolkit.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "kernels/code_mix.hpp"

namespace tilecast {

struct CodeRecord {
  std::int64_t registers = 0;  // a thread
  std::int64_t static_shared_bytes = 0;
  std::int64_t spill_bytes = 0;        // local memory a thread
  std::string code_hash;               // of the machine code
  const LaunchMixes* mixes = nullptr;  // what its warps issue, where that was read; must outlive the record
  bool of_similar = false;             // the mixes are of another code, which may copy more or less
};

// That of a launch whose threads make about so many multiply-adds on average; nullptr: none, or no record.
inline const CodeMix* mix_of(const CodeRecord* code, double thread_fmas) {
  return code && code->mixes ? &code->mixes->nearest(thread_fmas) : nullptr;
}

// Records of one architecture by Specialisation::key().
class CodeRecords {
 public:
  const CodeRecord* find(const std::string& key) const;  // nullptr: no record
  void set(const std::string& key, CodeRecord record);
  const std::unordered_map<std::string, CodeRecord>& all() const { return records_; }
  void add_mixes(const CodeMixes& mixes);  // by code hash; `mixes` must outlive the records
  std::string compiler;                    // "NVRTC 13.0"; empty when unknown

 private:
  std::unordered_map<std::string, CodeRecord> records_;
};

// The committed records for a compute capability ("sm_90"), with the mixes of kernels/code_mixes/sm_90.csv;
// empty when there are none.
const CodeRecords& committed_code_records(int major, int minor);

// CSV text with the columns key,registers,static_shared_bytes,spill_bytes,code_hash after the comment
// "# compiler: NVRTC 13.0"; `name` is for messages.
CodeRecords parse_code_records(std::string_view csv, std::string_view name);
std::string format_code_records(const CodeRecords& records);

}  // namespace tilecast
