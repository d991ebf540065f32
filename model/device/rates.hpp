#pragma once
// Which of a profile's parameters the models count by where the one that they want was not measured. Each
// throws UnavailableError where the profile has neither.

#include <optional>

#include "model/device/device_profile.hpp"

namespace tilecast {

Frequency sm_clock_of(const DeviceProfile& device);    // sm_clock, else boost_clock
Bandwidth dram_read_of(const DeviceProfile& device);   // dram_read, else dram_peak
Bandwidth dram_write_of(const DeviceProfile& device);  // dram_write, else dram_peak

// Writes that fill pieces of `piece` bytes of a row (nullopt: whole rows), with `between` bytes of others
// before the next piece beside them, over memory near (0) to far (1).
struct WrittenPieces {
  std::optional<double> piece;
  double between = 0, spread = 1;
};
// Bytes/s at which DRAM takes them; at most `streaming`.
Bandwidth dram_write_in_pieces(const DeviceProfile& device, Bandwidth streaming,
                               const WrittenPieces& written);

// Seconds that DRAM takes longer for each byte where it turns from reads to writes and back, of which
// `read_share` are read. Zero where not measured.
double dram_turns_per_byte(const DeviceProfile& device, double read_share);

// What the first load of a launch takes beyond later ones, of which so many SMs have blocks (S14; a
// stand-in).
Cycles first_access(double sms);

}  // namespace tilecast
