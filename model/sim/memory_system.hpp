#pragma once
// S6. L2 and DRAM as one SM sees them while `active_sms` run alike: each a server with this SM's share of the
// device's bandwidth, behind the measured latency, which grows with the load where the profile has curves.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/sim/core_parameters.hpp"

namespace tilecast::sim {

struct MemoryShare {
  double active_sms = 1;
  double used_sms = 0;         // that have anything to do; 0: all (written_share)
  double storing_sms = 0;      // A4: that share L2's way for stores; 0: these
  double dram_read_share = 0;  // of what is asked of L2, where the operation does not say
  double dram_write_share = 0;
  double read_together = 1;  // requests of several SMs that L2 serves as one
};

struct MemoryRequest {
  double sectors = 0;             // asked of L2: those that L1 had are left out
  double dram_share = 0;          // of them
  std::optional<double> packets;  // of a store (S6); nullopt: its sectors
  std::optional<double> bytes;    // stored; nullopt: whole sectors
  double lone = 0;                // of the sectors: stored ones, each in a line of its own
  double in_step = 1;             // of a store: of the other SMs, those that make it at the same time
  bool waited = false;            // of a store: until the SM had room for it
  double lines = 0;               // that what is read lies in
  double line_cycles = 0;         // that each of them takes of the SM's port
};

class MemorySystem {
 public:
  MemorySystem(const CoreParameters& parameters, const MemoryShare& share, std::uint64_t seed);

  // From here on, with another number of SMs at work.
  void set_share(const MemoryShare& share);
  const MemoryShare& share() const { return share_; }

  // A request leaves the SM at `now`, `spent` cycles after its issue; the cycle in which its data may be
  // used.
  Cycle load(Cycle now, int spent, const MemoryRequest& request);

  // S12. From the shared memory of the SM that has the block `rank` of the cluster, whose other blocks all
  // ask for as much; `warp` of this one.
  Cycle cluster_load(Cycle now, int spent, double bytes, int rank, int warp);

  // The cluster's blocks have met: from here on they ask at the same time.
  void cluster_meets() { lag_ = {}; }

  // The cycle in which L2 has taken it.
  Cycle store(Cycle now, const MemoryRequest& request);

  // The cycle in which L2 has taken all that has been stored.
  Cycle stores_taken() const { return static_cast<Cycle>(store_free_) + 1; }

  // And DRAM its share of it.
  Cycle stores_done() const { return static_cast<Cycle>(std::max(store_free_, dram_store_free_)) + 1; }

  // Cycles by which its queues are behind, that of stores to DRAM left out: nobody waits for it.
  double backlog(Cycle now) const;

  // Cycles that the stores so far keep their queue busy.
  double store_cycles() const { return store_cycles_; }

  // Of these, those of stores that waited for room while all SMs stored and L2 was slower than their ports.
  double contended() const { return contended_; }

  // Those that L2 takes for what is stored in step.
  double in_step() const { return in_step_; }

  // Cycles that DRAM needs for what is read and what is written, one after the other.
  double dram_cycles() const { return dram_cycles_; }

  double l2_bytes() const { return l2_bytes_; }
  double dram_bytes() const { return dram_bytes_; }

  // Of them, those for what is written.
  double dram_written() const { return dram_written_; }

  // Moved while trips were skipped.
  void add_skipped(Cycle cycles, double l2_bytes, double dram_bytes, double store_cycles, double dram_cycles,
                   double dram_written);

 private:
  double serve(double& free, Cycle now, double bytes, double bytes_per_cycle) const;
  // Cycles by which reads come later than the curves say: the fastest tenth, the median, the slowest.
  struct Later {
    double low = 0, middle = 0, high = 0;  // p10, median, p90
  };
  Later beside_writes(Cycle now) const;
  double latency(const LevelLatency& level, double bytes_per_second, double queued, int draws,
                 const Later& later);
  double load_of(double& average, Cycle& since, Cycle now, double bytes) const;

  CoreParameters p_;
  MemoryShare share_;
  double l2_read_ = 0, l2_write_ = 0, dram_read_ = 0, dram_write_ = 0;  // this SM's, bytes a cycle
  double l2_free_ = 0, dram_free_ = 0, store_free_ = 0, dram_store_free_ = 0, cluster_free_ = 0;
  double partly_stored_ = 0;       // of the last store's sectors
  std::vector<double> rank_free_;  // S12: of each block of the cluster, its SM's port
  // S12. Of the warp that has asked last, as long as no other has since the blocks met: by how much it is
  // behind the other blocks' at the next port; `next`: once all that it has asked for has come.
  struct Lag {
    int warp = -1;
    bool alone = true;
    double cycles = 0, next = 0;
    Cycle come = 0;
  };
  Lag lag_;
  double miss_debt_ = 0;                      // sectors owed to DRAM: shares become whole sectors
  double l2_average_ = 0, dram_average_ = 0;  // bytes a cycle of this SM, smoothed
  Cycle l2_since_ = 0, dram_since_ = 0;
  double l2_bytes_ = 0, dram_bytes_ = 0, store_cycles_ = 0, dram_cycles_ = 0, contended_ = 0,
         dram_written_ = 0, in_step_ = 0;
  Cycle skipped_ = 0;
  Cycle first_until_ = -1;  // S14; -1: no access yet
  std::uint64_t random_ = 0;
};

}  // namespace tilecast::sim
