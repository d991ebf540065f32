#pragma once
// S9. The pace of full waves that are not simulated one by one.

#include "model/sim/sm_simulator.hpp"

namespace tilecast::sim {

// Cycles of a full wave, by the SM's instruction rate from the first block's end, when blocks are no longer
// in step, to the first end that no full wave's block follows; 0: there is none. Ends of blocks alone would
// say less: within a wave, some are half a wave ahead of others.
double cycles_of_a_wave(const SmResult& result, const SmWork& work);

// How far, from 0 to 1, the blocks of all SMs stay in step, as what they store keeps what they read waiting
// at DRAM until it is written, the less the less they read (S9). Later waves take as much of their time as
// the simulated ones do.
double in_step(const SmResult& result, const SmWork& work);

// Whether these waves are read anew: not of lone blocks that are all alike and wait for no writes, nor, for
// the sake of cost, where a wave has more than 250,000 warp instructions. `issued`: those of a block.
bool come_apart(const SmResult& result, const SmWork& work, double issued,
                const std::vector<EdgeBlocks>& edges);

// The SM some waves later: its blocks have come apart, here evenly over `wave` cycles, and are no longer in
// step with other SMs'. Of lone blocks so many that each edge has its share.
SmWork later_blocks(const SmWork& work, double wave, const std::vector<EdgeBlocks>& edges);

}  // namespace tilecast::sim
