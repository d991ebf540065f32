#pragma once
// One pure function per bound: the time of one trip of a phase if nothing else limited it. Each is in the
// file of its name (bound_fma.cpp, ...); bounds.cpp lists them all.

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "model/analytic/machine.hpp"
#include "model/analytic/traffic.hpp"
#include "model/analytic/waves.hpp"
#include "model/workload/kernel_description.hpp"

namespace tilecast::analytic {

enum class BoundId {
  fma,
  issue,
  ports,
  alu,
  shared,
  chain,
  overlap,
  l2,
  dram,
  latency,
  barrier,
  cluster,
  fetch,
  launch,
  together,
  pace
};
inline constexpr std::size_t bound_count = 16;
// Its place in arrays of bound_count.
constexpr std::size_t index(BoundId id) {
  return static_cast<std::size_t>(id);
}

struct BoundInfo {
  BoundId id;
  std::string_view name;
  std::string_view equation;
  bool (*known)(const Machine&);     // whether the profile has the parameters that it needs
  Spread (*spread)(const Machine&);  // uncertainty of the parameters that it reads (A12)
};

const std::array<BoundInfo, bound_count>& bound_table();

// One SM that runs `blocks` blocks at once.
Cycles fma_cycles(const Phase& phase, double blocks, const Machine& machine);     // A1
Cycles issue_cycles(const Phase& phase, double blocks, const Machine& machine);   // A2
Cycles shared_cycles(const Phase& phase, double blocks, const Machine& machine);  // A3

// The whole device while `wave` runs.
Seconds l2_time(const Phase& phase, const Wave& wave, const Traffic& traffic, const Machine& machine);  // A4
Seconds dram_time(const Phase& phase, const Wave& wave, const Traffic& traffic,
                  const Machine& machine);  // A5

// A4. L2's time for reads and stores of blocks that are apart, which go beside each other, from the time for
// each: the less of their sectors the phases' stores fill, the less they go beside each other.
Seconds l2_time_together(Seconds reads, Seconds stores, std::span<const Phase> phases);

// A5, where the machine code is known: how long DRAM is busy, however few bytes are in flight; for all of one
// trip, and for what is written of it.
struct DramTimes {
  Seconds all{}, written{};
};
DramTimes dram_busy(const Phase& phase, const Wave& wave, const Traffic& traffic, const Machine& machine);

Seconds l2_read_time(const Phase& phase, const Wave& wave, const Traffic& traffic, const Machine& machine);
// A22. Time that L2's busiest slice takes for what is read in one trip.
Seconds busiest_slice_time(const Phase& phase, const Wave& wave, const Traffic& traffic);
// A4. SMs that have a block more than the others; 0 if all have equally many.
double sms_with_one_more(const Wave& wave);
// A4. Whether a trip's stores come in passes through shared memory, between which L2 may have nothing to
// take.
bool stores_in_passes(const Phase& phase);
// `computed_later`: of a wave whose blocks store when they have computed, how much later these SMs have done
// that; nullopt: they do not store beside the others.
Seconds l2_write_time(const Phase& phase, const Wave& wave, const Traffic& traffic, const Machine& machine,
                      std::optional<Seconds> computed_later = std::nullopt);
// A4. Time of the stores on the busiest SM's own way to L2.
Seconds l2_write_port_time(const Phase& phase, const Wave& wave, const Traffic& traffic,
                           const Machine& machine);

// A6. Latencies of one block and trip.
struct Waiting {
  Seconds exposed{};     // nothing hides it
  Seconds round_trip{};  // latency / `fetch_distance`: hidden if the trip takes longer
};
Waiting latency_time(const Phase& phase, const Traffic& traffic, const Machine& machine);

// A19. L2 traffic of one block's spilled registers in a trip.
struct LocalMemory {
  double hit = 1;           // share of the loads that hit L1
  Bytes read{}, written{};  // bytes of L2
};
LocalMemory local_memory(const Phase& phase, const Wave& wave);

// A6, S14. Once a kernel: its last stores must have reached L2 before the next kernel starts, and its first
// load takes longer.
Seconds drain_time(const KernelDescription& kernel, const Machine& machine);
Seconds first_access_time(const KernelDescription& kernel, const Machine& machine);

Seconds barrier_time(const Phase& phase, const Machine& machine);  // A7, one block

// A7. One barrier of a block of `warps` warps: from the profile's curve, else its single value.
Cycles barrier_cycles(double warps, const Machine& machine);

// A16. Lines of code that must be fetched again: by a kernel's first blocks, and, of as many as these are
// (`first`), by each block that takes another's place.
double lines_first(const KernelDescription& kernel);
double lines_again(const KernelDescription& kernel, double first, double blocks_per_sm);
// A16. Time that `lines` lines, each of which takes `longer` times as long as measured, are waited for by
// warps that take `cycles_an_instruction`.
Seconds fetch_time(double lines, double cycles_an_instruction, const Machine& machine, double longer = 1);

// A17. One block and trip: how long it waits for its cluster, and how long its reads occupy the SM's port.
Seconds cluster_waits(const Phase& phase, Seconds chain, const Machine& machine, double blocks = 1);
Seconds cluster_transfer(const Phase& phase, const Machine& machine);

// A8. Launch time of a grid whose blocks read an argument and leave; `blocks_per_sm` below 1 is the share of
// the SMs that get a block.
Seconds launch_time(double blocks_per_sm, double threads, const Machine& machine);
// A8. The same without what these blocks do: what a launch takes besides its blocks' work.
Seconds launch_beside_work(double blocks_per_sm, double threads, const Machine& machine);

// A8. From a block's end until the next one has begun in its place.
Seconds replacement_time(double threads, const Machine& machine);

// Whether a trip waits for its own loads, so that one block's memory and arithmetic do not overlap.
bool waits_for_itself(const Phase& phase);

// Rounds of dependent global accesses that a trip waits for: at least one if it waits for its own loads.
double exposed_rounds(const Phase& phase);

// Warps on the busiest scheduler when `warps` are dealt out one by one.
double warps_on_busiest_scheduler(double warps, const Machine& machine);

}  // namespace tilecast::analytic
