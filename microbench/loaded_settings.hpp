#pragma once
// How the streams of the loaded-latency probe are throttled. Pure; tested without a GPU.

#include <vector>

namespace tilecast {

struct StreamSetting {
  int loads = 1;       // 16-byte loads that a thread keeps in flight: 1, 2 or 4
  int warps = 1;       // a SM
  unsigned pause = 0;  // cycles that a warp waits before each batch
  bool streams = true;

  double bytes_in_flight(int sms) const;  // nominal; 0 without streams
};

// By growing load: none; one warp with pauses; then 512 bytes to 64 KiB in flight on each SM.
std::vector<StreamSetting> loaded_settings(bool quick);

}  // namespace tilecast
