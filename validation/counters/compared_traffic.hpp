#pragma once
// Launches that were counted (validation/recorded/<gpu>/: traffic.csv, slope.csv, warm.csv, *_places.csv)
// beside what the analytic model says of the same (EQUATIONS.md A5).

#include <string>
#include <vector>

#include "validation/counters/cases.hpp"
#include "validation/counters/predicted_launch.hpp"
#include "validation/counters/recorded_counters.hpp"

namespace tilecast {

struct ComparedTraffic {
  CounterCase run;
  std::string name;
  CountedTraffic counted;  // over several places in memory, where it was
  double l1_missed = 0;    // counted; 0 where it was not
  PredictedLaunch predicted;
};

// `cases`: a file as read_counter_cases has it; in its order. Throws InputError where one was not counted.
std::vector<ComparedTraffic> compared_traffic(const std::string& cases, const DeviceProfile& device);

// Bytes of DRAM, read and written, predicted over counted, less 1.
double dram_bytes_off(const ComparedTraffic& c);

// Within 5 %, or no farther off than one of the places in memory (or one of the launches) was.
bool dram_bytes_agree(const ComparedTraffic& c);

// At least 2 MB of them, by either: less is nothing that a launch waits for.
bool moves_traffic(const ComparedTraffic& c);

// Of the sectors that SMs read and write in L2, the share for which it needs no DRAM. Counted lookups miss
// more often: a line that the other half of L2 has is looked up in both.
double l2_hit_rate(double dram_read_bytes, double sectors_read, double sectors_written);
double counted_hit_rate(const ComparedTraffic& c);
double predicted_hit_rate(const ComparedTraffic& c);  // of as many written sectors as were counted

}  // namespace tilecast
