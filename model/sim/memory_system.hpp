#pragma once
// S6. L2 and DRAM as one SM sees them while `active_sms` SMs do the same: each is a queue served at this SM's
// share of the device's bandwidth, behind the measured latency, which grows with load where the profile has
// curves.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/sim/core_parameters.hpp"

namespace tilecast::sim {

// S6. Of what an SM asks of L2 for one tensor: the share that DRAM sends for it, and the share that it asks
// for first or at the same time as the first of `sharers` SMs; of these lines L2 has lost `missed`.
struct SharedReads {
  double dram_share = 0, first_share = 0, missed = 0, sharers = 1;
};

struct MemoryShare {
  double active_sms = 1;
  double used_sms = 0;         // SMs with any work; 0: all (written_share)
  double storing_sms = 0;      // A4: SMs that share L2's bandwidth for stores; 0: these
  double dram_read_share = 0;  // L2's miss rate, where the operation has none of its own
  double dram_write_share = 0;
  // Of the input and of the filters, where several SMs ask for the same at the same time; nullopt: nowhere.
  std::optional<std::array<SharedReads, 2>> shared;
  double reads_more = 1;     // what this SM reads, relative to the mean of all
  double read_together = 1;  // requests of several SMs that L2 serves as one
  double later_hits = 0;     // cycles that what L2 has is later on average than from the SM's own partition
  bool in_step = true;       // other SMs write to DRAM what this one does, at the same time
};

struct MemoryRequest {
  double sectors = 0;             // requested from L2, without L1 hits
  double dram_share = 0;          // of the sectors
  std::optional<double> packets;  // of a store (S6); nullopt: its sectors
  std::optional<double> bytes;    // stored; nullopt: whole sectors
  double lone = 0;                // of a store: whole sectors that are alone in their line
  double in_step = 1;             // of a store: share of the other SMs that store at the same time
  bool waited = false;            // of a store: had to wait until the SM had room for it
  double lines = 0;               // that a read touches
  double line_cycles = 0;         // of the SM's port, for each of them
  // Of a read that other SMs make, too: which, and cycles since its block began to ask for what it reads
  // between two barriers, where other SMs' warps do that in another order; nullopt: in the same order.
  std::optional<int> tensor;
  std::optional<double> asking_for;
};

class MemorySystem {
 public:
  MemorySystem(const CoreParameters& parameters, const MemoryShare& share, std::uint64_t seed);

  // From now on, another number of SMs is at work.
  void set_share(const MemoryShare& share);
  const MemoryShare& share() const { return share_; }

  // Request that leaves the SM at `now`, `spent` cycles after its issue. Returns the cycle in which its data
  // may be used.
  Cycle load(Cycle now, int spent, const MemoryRequest& request);

  // The cycle in which that share of the last load's lines has come.
  Cycle lines_come(double share) const;

  // S12. The same for `warp`'s load from the shared memory of the cluster's block `rank`, of which all other
  // blocks read as much.
  Cycle cluster_load(Cycle now, int spent, double bytes, int rank, int warp);

  // The cluster's blocks have met at a barrier: from now on they read in step.
  void cluster_meets() { lag_ = {}; }

  // Returns the cycle in which L2 has taken the store.
  Cycle store(Cycle now, const MemoryRequest& request);

  // The cycle in which L2 has taken all stores so far.
  Cycle stores_taken() const { return static_cast<Cycle>(store_free_) + 1; }

  // The cycle in which the SM's own way to L2 has sent all of them.
  Cycle stores_sent() const { return static_cast<Cycle>(sent_free_) + 1; }

  // The cycle in which DRAM has taken its share of them, too.
  Cycle stores_done() const { return static_cast<Cycle>(std::max(store_free_, dram_store_free_)) + 1; }

  // Backlog of the queues, in cycles; without stores to DRAM, for which nothing waits.
  double backlog(Cycle now) const;

  // Cycles for which the stores so far keep their queue busy.
  double store_cycles() const { return store_cycles_; }

  // S9. L2's cycles for in-step stores that had to wait for room, where L2 is slower than the SM's port.
  double contended() const { return contended_; }

  // L2's cycles for all in-step stores.
  double in_step() const { return in_step_; }

  // Cycles that DRAM needs for all reads and writes together.
  double dram_cycles() const { return dram_cycles_; }

  // Cycles by which reads came later, on average, as DRAM had what was stored before them still to write.
  double behind_writes() const { return dram_reads_ > 0 ? behind_writes_ / dram_reads_ : 0; }

  double l2_bytes() const { return l2_bytes_; }
  double dram_bytes() const { return dram_bytes_; }

  // Cycles that DRAM needs for the writes.
  double dram_written() const { return dram_written_; }

  // Accounts for what skipped trips move (S8).
  void add_skipped(Cycle cycles, double l2_bytes, double dram_bytes, double store_cycles, double dram_cycles,
                   double dram_written);

 private:
  double serve(double& free, Cycle now, double bytes, double bytes_per_cycle) const;
  // Latency of reads beyond the curves' quantiles, in cycles.
  struct Later {
    double low = 0, middle = 0, high = 0;  // p10, median, p90
  };
  Later beside_writes(Cycle now) const;
  // Latencies of lines, in cycles with the queue's, and which of them the slowest line of a request has.
  struct Latencies {
    double low = 0, middle = 0, high = 0;  // p10, median, p90
    double queued = 0;
    bool two = false;    // nothing between low and high
    double slowest = 0;  // share of all lines that are faster
    double at(double quantile) const;
  };
  Latencies latencies(const LevelLatency& level, double bytes_per_second, double queued, int lines,
                      const Later& later);
  double load_of(double& average, Cycle& since, Cycle now, double bytes) const;
  // The device's load of DRAM before a request, and cycles until DRAM has sent it to this SM.
  struct DramQueue {
    double load = 0, cycles = 0;
  };
  DramQueue ask_dram(Cycle now, double bytes);
  // So many lines of the last load come from DRAM, behind `queue` and L2's.
  void wait_for_dram(Cycle now, int lines, double l2_queue, const DramQueue& queue);
  // Of `lines` of a request those that come from DRAM; `debt`: of requests that ask for theirs first.
  double late_lines(const SharedReads& reads, double& debt, double lines);
  // Of what the last load's lines take longer from DRAM than from L2, the share that is left (Read::waited).
  double time_left(double sharers, double lines, std::optional<double> asking_for);

  CoreParameters p_;
  MemoryShare share_;
  double reading_sms_ = 1;  // that would share the bandwidth if all read as much as this one
  double l2_read_ = 0, l2_write_ = 0, dram_read_ = 0, dram_write_ = 0;  // this SM's, bytes a cycle
  double l2_free_ = 0, dram_free_ = 0, store_free_ = 0, sent_free_ = 0, dram_store_free_ = 0,
         cluster_free_ = 0;
  // S6. When L2 has taken as much of each SM as this one has stored, skipped trips included; -1: nothing yet.
  double all_taken_ = -1;
  double partly_stored_ = 0;       // unfilled share of the last store's sectors
  std::vector<double> rank_free_;  // S12: by block of the cluster, when its SM's port is free
  // S12. A lone warp, the only one that has read since the blocks met: `cycles` by which it reaches the next
  // port behind the other blocks' warps; `next` replaces them at `come`, when its reads so far have returned.
  struct Lag {
    int warp = -1;
    bool alone = true;
    double cycles = 0, next = 0;
    Cycle come = 0;
  };
  Lag lag_;
  // The last load: when its request left, cycles of its way that were over by then, and what its lines take.
  struct Read {
    Cycle now = 0;
    int spent = 0;
    Latencies l2, dram;
    double late = 0;    // share of its lines that come from DRAM
    double waited = 1;  // share of DRAM's time beyond L2's that is left for the slowest of these
  };
  Read last_;
  std::array<double, 2> first_debt_{};        // requests, by tensor: shares of what is asked for first
  double miss_debt_ = 0;                      // sectors; shares of misses add up to whole requests
  double l2_average_ = 0, dram_average_ = 0;  // bytes/cycle of this SM, smoothed
  Cycle l2_since_ = 0, dram_since_ = 0;
  double l2_bytes_ = 0, dram_bytes_ = 0, store_cycles_ = 0, dram_cycles_ = 0, contended_ = 0,
         dram_written_ = 0, in_step_ = 0, behind_writes_ = 0, dram_reads_ = 0;
  Cycle skipped_ = 0;
  Cycle first_until_ = -1;  // S14; -1: no access yet
  std::uint64_t random_ = 0;
};

}  // namespace tilecast::sim
