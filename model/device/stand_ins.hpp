#pragma once
// What more than one model takes of an H200 because no device profile has a key for it, each with the
// equation that says where it was measured. What a single model reads stands beside its formula.

#include "model/units/quantity.hpp"

namespace tilecast::stand_in {

// S2, A14. What a pipe of 16 lanes takes for a warp.
constexpr Cycles half_width{2};

// S4. Shared memory, issue to use; S18's SM has it, too.
constexpr Cycles shared_latency{23};

// S6. Of an SM's way to L2: stores of 32 bytes and more by 1, 33 and 66 SMs.
constexpr double store_port_bytes_per_cycle = 32;

// S6, A4. What a whole sector takes that a store has no other of in its line, in whole sectors: an SM's way
// to L2, and L2 (experiments/store_pieces.csv).
constexpr double lone_sector_port = 1.6, lone_sector_l2 = 1.4;

// S4. Memory instructions that an SM holds for its schedulers together (H200).
constexpr int shared_queue_places = 19;

// S6, A4. What L2 takes longer for a store to sectors that it has just had a store to
// (experiments/tile_stores.csv).
constexpr double stored_again_cost = 0.17;

// S13, A5. Pieces that are written to DRAM from this length on are a stream (experiments/split_pieces.csv: of
// 256 bytes 4.2 TB/s).
constexpr Bytes stream_piece{256};

// S6, A15. Packets of stores that an SM has room for behind its pipe (experiments/stores_left.csv).
constexpr double store_packets_held = 300;

// S6. Sectors of stores that have passed an SM's pipe and have not left it, at most
// (experiments/waits_behind_stores.csv).
constexpr double unsent_sectors = 96;

// S6. Sectors of stores behind which a line filled in part still waits for what fills the rest
// (experiments/open_lines.csv: 60 do, of 64 a third to none, of 80 none).
constexpr double open_sectors = 62;

// S7, A16. The SM's own instruction cache, of lines of 128 bytes, by straight lines of FFMA in replays of a
// graph. Loops of so many instructions are beyond it, and within the next one.
constexpr int code_line_instructions = 8, code_line_sets = 64, code_line_ways = 4;
constexpr double long_loop_instructions = 4096;

// S12, A17. What an SM of a cluster reads of others while they read as much of it, and what a fence takes
// longer behind accesses to global memory.
constexpr double cluster_bytes_per_cycle = 15.5;
constexpr Cycles fence_behind{370};

// A8, S9. From a block's noticed end to its successor's first instruction, and a cycle more for so many
// threads (experiments/block_turnaround.csv).
constexpr Cycles next_block{400}, next_of_cluster{490};
constexpr double threads_a_cycle = 6;

// A9, S9. Of the variance of an SM's own places what they have in common (experiments/place_deviations.csv:
// correlation where stores are less than a tenth of a stay, median of 27 kernels).
constexpr double places_in_common = 0.35;

// A5, A9, S9. Standard deviation of SMs, relative to the time in which L2 takes what all store at the same
// time (experiments/store_fairness.csv).
constexpr double store_deviation = 0.12;

// S15. What L1 has where kernels are launched with as much shared memory as there can be.
constexpr Bytes l1_beside_shared{28 * 1024};

// By how much of a read's time stores beside it at L2 take longer, and by how much more of it for the share
// of their sectors that they leave unfilled: H200, experiments/l2_mix.csv (S6).
constexpr double read_among_stores = 0.4, read_among_parts = 1.53;

// S16. A load of local memory that L1 has, issue to use (experiments/local_memory.csv).
constexpr Cycles local_latency{29};

// S16. What a launch takes longer whose code has local memory, used or not: mean of four kernels that do not
// use theirs (`leave` of experiments/local_memory.csv).
constexpr Seconds local_memory_launch{74e-9};

// S17. A line of constants that is new to an SM with no fewer warps than schedulers
// (experiments/first_constants.csv).
constexpr Cycles constant_line{122};

}  // namespace tilecast::stand_in
