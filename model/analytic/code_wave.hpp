#pragma once
// The time of a wave whose machine code is known (EQUATIONS.md A15, A18).

#include <optional>
#include <vector>

#include "model/analytic/code_cost.hpp"

namespace tilecast::analytic {

// Of all trips of a phase, or of several phases: what each resource needs for the wave's blocks, and what one
// block takes that nobody disturbs.
struct CodePart {
  Seconds fma{}, issue{}, ports{}, alu{}, queue{};  // of the busiest scheduler, blocks together
  Seconds pipe{}, l2{}, dram{}, cluster{};          // of the SM or the device, blocks together
  // Of one block, parts of `alone`; share: what it waits longer for its share of L2.
  Seconds chain{}, latency{}, barrier{}, exchange{}, share{};
  Seconds meeting{};  // how much longer the last of all of them waits that sum at the same time
  Seconds alone() const { return chain + latency + barrier + exchange + share; }
  Seconds scheduler() const;  // whichever of its parts is busiest
  Seconds wide() const;       // likewise
  CodePart& operator+=(const CodePart& other);
};

// A20. What the code was seen to do on an SM whose memory answers at once, in terms of A13: which share of
// the waits is not at the same time, how much shorter than counted the services are, and the pace of waves
// whose schedulers have unequally many blocks.
struct PacedWaits {
  double of_waits = 1, of_service = 1, of_pace = 1;
  Seconds in_step{};     // how much longer the first wave takes, whose blocks begin together
  Seconds ends_apart{};  // between its first end and its last
  // Of the schedulers that have a block more than the others: their share of the blocks, and between the
  // first end of these and the last.
  double last_share = 1;
  Seconds last_apart{};
};

struct CodeWave {
  double blocks_per_sm = 0;
  // Blocks whose warps share a scheduler, the busiest one. Of the groups of schedulers that a block's warps
  // are on, so many have one block less.
  double on_scheduler = 0, groups_with_one_less = 0;
  bool in_pairs = false;     // two blocks of one warp each on every scheduler
  bool in_clusters = false;  // whose blocks wait for each other
  // Of a block when it ends and another takes its place: what its stores still take; of one alone on its SM,
  // whose place is free when they have passed the pipe, what they wait longer until then than the SM's own
  // way to L2 takes, while all SMs store at the same time, and how much of that may not be waited for.
  Seconds stores_left{}, waits_in_step{}, waits_again{};
  // A20, of the last phase: what L2 takes for as many stores as an SM has room for, and how many blocks, each
  // on schedulers of its own, end and store at the same time.
  Seconds room{};
  double end_together = 1;
  std::vector<CodePart> phases;
  CodePart all;
  std::optional<PacedWaits> paced;  // nullopt: not known
};

// Every part that is switched off is zero.
CodeWave code_wave(const KernelDescription& kernel, const Wave& wave, const Traffic& traffic,
                   const Machine& machine, const Enabled& enabled);

// How much shorter or longer a part may be.
CodePart scaled(const CodePart& part, const Factors& factors);

// A15. Of blocks anywhere in their work, the last of which starts `later` than the first. `work`: the wave's,
// or what it may be (A12).
Seconds wave_time(const CodePart& work, const CodeWave& wave, Seconds later, const Enabled& enabled);

// A15. Of one of many waves: an SM's schedulers may have unequally many blocks, and those that have fewer get
// the next ones sooner.
Seconds pace_of_waves(const CodePart& work, const CodeWave& wave, Seconds later, const Enabled& enabled);

// A15. How much sooner, on average over those of `count` waves behind `before` others that are not the first,
// a block begins because of stores_left, and because SMs do not store at the same time any more.
Seconds sooner_again(const CodeWave& wave, double before, double count);

// A9. Of few blocks that came to some schedulers in twos: they wait for each other as the pairs before them
// (A20).
Seconds crowded_time(const CodePart& work, const CodeWave& wave, const std::optional<PacedWaits>& of_pairs,
                     Seconds later, const Enabled& enabled);

// A15. When blocks have begun together, how much sooner than the busiest schedulers the others are done, and
// how many blocks an SM these hold.
struct FreeSooner {
  double blocks = 0;
  Seconds by{};
};
FreeSooner schedulers_free_sooner(const CodeWave& wave, const Enabled& enabled);

// A9. The first wave's blocks end as they began, one after the other until `later`: how much sooner than
// behind the last of them a tail of so many an SM begins, in the places of the first ones.
Seconds begun_sooner(const CodeWave& first, double blocks, Seconds later, const Enabled& enabled);

// A20. For how long a tail of so many blocks an SM has its places before the wave's last block ends, and the
// wave's time with all of its blocks and with those alone that are left then.
struct Beside {
  Seconds ends{}, whole{}, alone{};
  // How much sooner than behind the wave a tail ends that takes so long by itself.
  Seconds sooner(Seconds tail) const;
};
Beside tail_beside_wave(const CodeWave& wave, double blocks, const Enabled& enabled);

// A9. Of a tail in clusters, behind `count` waves, the last block of which starts `later` than the first:
// blocks an SM of the part of the device whose places are free first.
double blocks_of_first_part(const CodeWave& wave, double count, const Wave& tail, double cluster,
                            double parts, Seconds later, const Enabled& enabled);

// A9. Whether blocks of a tail behind `count` waves of pairs come to some scheduler in twos.
bool tail_in_twos(const CodeWave& wave, double count, const Wave& tail, double cluster, double sms);

// A9. Of a tail of lone blocks behind `count` waves: how much later than the median SM's places those are
// free that the last of its blocks fill.
Seconds filled_later(const CodeWave& wave, double count, const Wave& tail, double cluster,
                     const Machine& machine, const Enabled& enabled);

// A18. What blocks that go through the phases together take longer than `apart`, wave_time(): in the first
// wave, before they store and when they do (A20: `first`, of the first wave alone). Later waves keep shares
// of these, which the two functions add up: of `count` waves behind `before` others; of the stores the less,
// the less time L2 and DRAM have `left`.
struct Together {
  Seconds loading{}, storing{}, first{};
  double left = 1;
};
Together together(const CodeWave& wave, Seconds apart, const Enabled& enabled);
Seconds together_time(const Together& first, const CodeWave& wave, double before, double count);

}  // namespace tilecast::analytic
