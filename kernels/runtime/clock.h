#pragma once
// Parameters of clock.cu, shared by host and device.

struct ClockParams {
  unsigned long long window_ns;  // how long to count, at least
};
