#pragma once
// One pure function a bound: what one trip of a phase takes if nothing else limited it. Each is in the file
// of its name (bound_fma.cpp, ...). The list of bounds is in bounds.cpp.

#include <array>
#include <cstddef>
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

struct BoundInfo {
  BoundId id;
  std::string_view name;
  std::string_view equation;
  bool (*known)(const Machine&);     // whether the profile has what it needs
  Spread (*spread)(const Machine&);  // of the parameters that it reads
};

const std::array<BoundInfo, bound_count>& bound_table();

// Of one SM that runs `blocks` blocks at once.
Cycles fma_cycles(const Phase& phase, double blocks, const Machine& machine);     // A1
Cycles issue_cycles(const Phase& phase, double blocks, const Machine& machine);   // A2
Cycles shared_cycles(const Phase& phase, double blocks, const Machine& machine);  // A3

// Of the whole device while `wave` runs.
Seconds l2_time(const Phase& phase, const Wave& wave, const Traffic& traffic, const Machine& machine);  // A4
Seconds dram_time(const Phase& phase, const Wave& wave, const Traffic& traffic,
                  const Machine& machine);  // A5

// A5, where the machine code is known: what DRAM is busy for it, however few bytes are in flight.
Seconds dram_busy(const Phase& phase, const Wave& wave, const Traffic& traffic, const Machine& machine);

Seconds l2_read_time(const Phase& phase, const Wave& wave, const Traffic& traffic, const Machine& machine);
Seconds l2_write_time(const Phase& phase, const Wave& wave, const Traffic& traffic, const Machine& machine);
// Of the busiest SM's own way to L2.
Seconds l2_write_port_time(const Phase& phase, const Wave& wave, const Traffic& traffic,
                           const Machine& machine);

// A6. Of one block: what it waits for, and how fast its pipeline of requests can turn over.
struct Waiting {
  Seconds exposed{};     // nothing hides it
  Seconds round_trip{};  // one latency a `fetch_distance` trips: hidden when a trip takes longer
};
Waiting latency_time(const Phase& phase, const Traffic& traffic, const Machine& machine);

// A19. What a trip's spilled registers ask of L2, of one block, and the share of their loads that L1 has.
struct LocalMemory {
  double hit = 1;
  Bytes read{}, written{};
};
LocalMemory local_memory(const Phase& phase, const Wave& wave);

// A6. Of the kernel, once: its last stores must have reached L2 before the next kernel starts.
Seconds drain_time(const KernelDescription& kernel, const Machine& machine);
Seconds first_access_time(const KernelDescription& kernel, const Machine& machine);

Seconds barrier_time(const Phase& phase, const Machine& machine);  // A7, of one block

// A7, of so many warps: the profile's curve, else its one value.
Cycles barrier_cycles(double warps, const Machine& machine);

// A16. Lines of code that the first blocks of a kernel wait for, and each block that takes another's place.
double lines_first(const KernelDescription& kernel);
double lines_again(const KernelDescription& kernel, double blocks_per_sm);
// That many lines, by blocks whose warps take so many cycles for an instruction.
Seconds fetch_time(double lines, double cycles_an_instruction, const Machine& machine);

// A17. Of one block and trip: what it waits for, and what its reads take of the SM's way to the cluster.
Seconds cluster_waits(const Phase& phase, Seconds chain, const Machine& machine, double blocks = 1);
Seconds cluster_transfer(const Phase& phase, const Machine& machine);

// A8. Of a grid of so many blocks a SM, of so many threads each; below 1, of so large a share of the SMs.
Seconds launch_time(double blocks_per_sm, double threads, const Machine& machine);

// A8. From a block's end until another has begun in its place.
Seconds replacement_time(const Machine& machine);

// The trip waits for its own loads: memory and arithmetic of one block take turns.
bool waits_for_itself(const Phase& phase);

// The busiest scheduler's warps when `warps` are dealt out one by one.
double warps_on_busiest_scheduler(double warps, const Machine& machine);

}  // namespace tilecast::analytic
