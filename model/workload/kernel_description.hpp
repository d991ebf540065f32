#pragma once
// The one description of a kernel that every model reads: what it launches, what its warps issue, what it
// moves and how far ahead it fetches. A family's describe() makes it; nobody else counts anything.
// Counts are doubles where they are averages over warps or over rounds. Where blocks differ (remainders), the
// program is that of the block with the most work, while `streams` and `work` are exact sums over the grid.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/units/quantity.hpp"
#include "model/workload/code_counts.hpp"
#include "model/workload/code_source.hpp"
#include "model/workload/core_pace.hpp"
#include "model/workload/launch_shape.hpp"

namespace tilecast {

// Shared-memory instructions of one warp, by width, with the wavefronts they take in all: bank conflicts
// come from evaluating the kernel's own index functions for 32 lanes on the host.
struct SharedAccess {
  double w32 = 0, w64 = 0, w128 = 0;  // warp instructions
  double wavefronts = 0;
  double instructions() const { return w32 + w64 + w128; }
};

// Global-memory instructions of one warp, by width, with the 32-byte sectors they touch in all.
struct GlobalAccess {
  double w32 = 0, w64 = 0, w128 = 0;
  double sectors = 0;
  std::optional<double> masks;  // of stores: lines that each fills in part, in all; nullopt: not known
  double joined = 0;            // of stores: sectors and masks fewer, as lines are sent once (S6)
  double lone_sectors = 0;      // of stores: whole ones in lines that the store has no other sector of
  double instructions() const { return w32 + w64 + w128; }
};

// What one warp issues, averaged over the warps of the block.
struct WarpCounts {
  double ffma = 0;
  SharedAccess shared_load, shared_store;
  GlobalAccess global_load, global_store;
  GlobalAccess async_copy;  // cp.async: global to shared without registers
  double integer = 0;       // address arithmetic, predicates, moves
  double control = 0;       // branches
  double barriers = 0;      // __syncthreads
  double instructions() const {
    return ffma + shared_load.instructions() + shared_store.instructions() + global_load.instructions() +
           global_store.instructions() + async_copy.instructions() + integer + control + barriers;
  }
};

// A block's warps that do unequally much, in what those that take part do on average: the warps of its
// busiest scheduler together, and its busiest warp.
struct UnevenWarps {
  double of_scheduler = 0, of_warp = 1;
};

enum class PhaseRole { prologue, steady, epilogue };

// One stretch of the program. Phases run in order; a phase runs `trips` times.
struct Phase {
  std::string_view name;
  PhaseRole role = PhaseRole::steady;
  double trips = 1;
  WarpCounts warp;                    // one trip of one warp that takes part
  double active_warps = 0;            // warps of the block that take part
  std::optional<UnevenWarps> uneven;  // nullopt: they do equally much
  // What is issued, from the machine code; nullopt where it was not read: the counts above are all that is
  // known.
  std::optional<CodeSegments> code;
  Bytes fetched{};           // asked of L2 by the block in one trip
  double fetched_lines = 0;  // of 128 bytes, in which these lie; 0: as many as hold them
  Bytes stored{};            // sent to L2 by the block in one trip
  // Times that a warp computes something and then stores it, in one trip; 0: its stores are not results of
  // this phase's computation, or nothing is stored.
  double stores_apart = 0;
  // How many trips ahead the data used by a trip was requested: 0 means that the trip waits for its own
  // loads.
  int fetch_distance = 0;
  // Rounds of dependent global accesses that nothing hides, per trip (e.g. 1 when a first load is waited
  // for).
  double exposed_latencies = 0;
  // Of a trip that waits for its own loads: cycles of a warp alone between those that it waits for first and
  // that wait (it asks for later trips' data meanwhile).
  double cycles_until_wait = 0;
  // Where the blocks of a cluster exchange data: barriers of the cluster, those of them that follow accesses
  // to global memory, dependent rounds of reads of other blocks' shared memory, shares of the
  // sum that a warp reads these for, warps that read, and bytes that the block reads there.
  double cluster_barriers = 0, cluster_barriers_behind = 0, cluster_reads = 0;
  double cluster_shares = 0, cluster_warps = 1;
  Bytes cluster_bytes{};
};

// Sectors of what is written whose halves are written apart: how many a byte, and what is written between the
// two: by each running block, and by all of them, however many run. And lines of whole sectors whose parts
// are written as far apart.
struct SplitSectors {
  double per_byte = 0;
  Bytes between{};
  Bytes by_all{};
  double lines_per_byte = 0;
};

// Lines of what is written that a warp fills by several stores, and what each running block writes between
// two of them.
struct LineParts {
  double parts = 1;
  Bytes between{};
};

// A tensor as the grid touches it.
struct Stream {
  std::string_view tensor;  // "input", "filters", "output"
  bool written = false;
  Bytes unique{};     // distinct bytes touched by the grid (32-byte sectors)
  Bytes requested{};  // bytes asked of L2, summed over blocks
  // The order of the blocks may walk the tensor (or an image's part of it) again and again: how often, how
  // many blocks a walk takes, and the distinct bytes of all tensors that are touched in one.
  double walks = 1, blocks_of_walk = 0;
  Bytes touched_in_walk{};
  // Blocks next to each other in the grid that read the same of it at the same time; those whose requests L2
  // serves as one, and all: each partition of L2 keeps a copy of what its SMs read.
  double neighbours = 1, readers = 1;
  // Of what is read: requests that L2's slices get, each of at most two sectors of a line; 0: not known.
  double lookups = 0;
  // Of what is read through L1: the lines of 128 bytes that a block asks for (0: it goes past L1), and the
  // share of all blocks, and of the tiles next to it in the grid's order, that ask for the same.
  double l1_lines = 0, same_elsewhere = 0, same_beside = 0;
  Bytes read_piece{};                   // of a row that is read at about the same time; zero: more
  bool evicted_first = false;           // written so that it leaves L2 before what was read (st.cs)
  std::array<SplitSectors, 4> split{};  // the soonest first
  double split_at_once = 0;             // and of which a block writes both halves at once: how many a byte
  SplitSectors split_in_tile{};         // and whose halves it stores with others between
  Bytes stored_in_row{};  // by a store, or several right behind each other, between two of these
  LineParts line_parts{};
  Bytes piece{};           // that is written in one place at about the same time; zero: more
  double lines_apart = 0;  // share of its lines that reach L2 in parts, with others between
  // Memory that blocks next to each other in the grid fill all over, before the next ones come to what lies
  // behind it, and how many blocks these are; zero: not known.
  Bytes filled_together{};
  double filling_blocks = 1;
};

// The accumulators of one thread's multiply-adds: filters x pixels, sum[m][p] += weight[m] x pixel[p].
struct RegisterTile {
  double filters = 0, pixels = 0;
};

// Pixels side by side that a block stores of each of its filters, and filters of the whole output (A4).
struct StoredStrip {
  double pixels = 0, filters = 0;
};

struct KernelDescription {
  std::string_view family;
  LaunchShape launch;
  std::optional<RegisterTile> register_tile;
  std::optional<StoredStrip> stored_strip;  // of products
  double fma_executed = 0;                  // padding and halo waste included
  double fma_useful = 0;
  std::vector<Phase> phases;
  std::vector<Stream> streams;
  // Blocks that the grid ends with, all of them at the tensors' edge, and what they store of a whole one's.
  double edge_blocks = 0, edge_stored = 1;
  double busiest_sm_blocks = 0;  // 0: from blocks and occupancy; else blocks that the busiest SM runs
  double constant_lines = 0;     // of the launch's constants, whose first readers wait for them (S17)
  double code_instructions = 0;  // in the machine code that warps go through; 0: not known
  double loop_instructions = 0;  // of these, in loops of multiply-adds and copies
  // Instructions of the machine code that lie between these and that no warp goes through, and how many of
  // these are in front of them.
  double skipped_instructions = 0, before_skipped = 0;
  // Of its machine code, in a launch that takes an SM 1 / core_pace_scale times as long; empty: not known.
  std::span<const CorePace> core_paces;
  std::span<const CoreWait> core_waits;
  double core_pace_scale = 1;
  CodeSource code = CodeSource::estimated;  // whose registers and counts these are
  Bytes local_memory{};                     // of a thread: registers that its code spills
};

}  // namespace tilecast
