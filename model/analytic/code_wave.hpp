#pragma once
// Time of a wave of blocks whose machine code is known (EQUATIONS.md A15, A18, A20).

#include <optional>
#include <vector>

#include "model/analytic/code_cost.hpp"

namespace tilecast::analytic {

// Times summed over the trips of one phase or of several: what each resource needs for all of the wave's
// blocks, and what one block takes undisturbed.
struct CodePart {
  Seconds fma{}, issue{}, ports{}, alu{}, queue{};  // the busiest scheduler, all of its blocks
  Seconds pipe{}, l2{}, dram{}, cluster{};          // the SM or the device, all blocks
  Seconds l2_stores{}, dram_writes{};               // what is stored, of l2 and dram
  // One block: the summands of alone(). `share` is its further wait because it gets only its share of L2.
  Seconds chain{}, latency{}, barrier{}, exchange{}, share{};
  Seconds meeting{};  // further wait of the last of the SM's blocks if all sum over the cluster at once
  Seconds alone() const { return chain + latency + barrier + exchange + share; }
  Seconds scheduler() const;  // the busiest part of the scheduler
  Seconds wide() const;       // the busiest resource of the SM or the device
  CodePart& operator+=(const CodePart& other);
};
CodePart operator*(double times, CodePart part);
CodePart less(CodePart from, const CodePart& by);  // of each what `by` leaves of it

// A20. S18's paces (an SM whose memory answers at once) in terms of A13.
struct PacedWaits {
  double of_waits = 1;    // p, the share of the waits that do not overlap
  double of_service = 1;  // factor on the counted needs of scheduler and pipe
  double of_pace = 1;     // factor on the pace of waves whose schedulers have unequally many blocks
  Seconds in_step{};      // further time of the first wave, whose blocks begin together
  Seconds ends_apart{};   // between its first end and its last
  // Schedulers that have one block more than the others: their share of the blocks, and the time between the
  // first and the last end of these.
  double last_share = 1;
  Seconds last_apart{};
};

// The blocks of an SM: what their time together follows from, beside their CodePart.
struct SmBlocks {
  double blocks_per_sm = 0;
  // A block's warps sit on a group of schedulers: blocks of the busiest group, and number of groups that have
  // one block less.
  double on_scheduler = 0, groups_with_one_less = 0;
  double of_stores = 1;             // share of the waits for stores beyond the SM that is left (A20)
  std::optional<PacedWaits> paced;  // nullopt: not known
};

struct CodeWave : SmBlocks {
  bool in_pairs = false;     // two blocks of one warp each on every scheduler
  bool in_clusters = false;  // whose blocks wait for each other
  // A15, begin of a block in another's place. stores_left: what the ended block's stores still take.
  // waits_in_step, of a block alone on its SM, whose place is free when its stores have passed the pipe: the
  // wait until then, beyond the SM's own way to L2, while all SMs store at the same time. waits_again: the
  // most of it that can fall away when they no longer do.
  Seconds stores_left{}, waits_in_step{}, waits_again{};
  // A20, last phase: L2's time for the stores that an SM has room for; its own way's time for one block's,
  // and for those that may wait in front of it; the number of blocks, each on its own schedulers, that end
  // and store at the same time.
  Seconds room{}, port{}, unsent{};
  double end_together = 1, first_together = 1;
  std::vector<CodePart> phases;
  std::vector<CodePart> stretches;  // what blocks in step go through together (A18); empty: the phases
  CodePart all;                     // the sum of the phases
};

// Parts that are switched off are zero.
CodeWave code_wave(const KernelDescription& kernel, const Wave& wave, const Traffic& traffic,
                   const Machine& machine, const Enabled& enabled);

// Each time multiplied by its bound's factor.
CodePart scaled(const CodePart& part, const Factors& factors);

// A15. Time of a wave whose blocks are apart and whose last block starts `later` than the first. `work`: the
// wave's `all`, or scaled (A12).
Seconds wave_time(const CodePart& work, const SmBlocks& sm, Seconds later, const Enabled& enabled);

// A15. Mean time of one of many waves: schedulers with fewer blocks than the busiest get their next ones
// sooner.
Seconds pace_of_waves(const CodePart& work, const SmBlocks& sm, Seconds later, const Enabled& enabled);

// A5, A20. The share of an SM's blocks that end together in a wave of that time: none where ends are evenly
// apart.
double share_in_step(Seconds ends_apart, double blocks, Seconds whole);

// A18. The sum of 1 / sqrt(k) over `count` waves k behind `before` others, by its integral; the first of all
// counts 1.
double waves_in_step(double before, double count);

// A20. The wave's blocks with the mean waits of `count` waves behind `before` others: they come out of step.
// What they store waits for the fewer others.
SmBlocks coming_apart(const CodeWave& wave, double before, double count, const Enabled& enabled);

// A15. How much sooner a block begins because of stores_left, and because SMs no longer store at the same
// time. The mean over `count` waves behind `before` others, the first of all waves left out.
Seconds sooner_again(const CodeWave& wave, double before, double count);

// A9. Time of a tail that came to some schedulers in twos: two blocks wait for each other as the pairs before
// them did (A20).
Seconds crowded_time(const CodePart& work, SmBlocks sm, const std::optional<PacedWaits>& of_pairs,
                     Seconds later, const Enabled& enabled);

// A15. Blocks that begin together end sooner on schedulers with one block less: blocks an SM on these
// schedulers, and how much sooner they end.
struct FreeSooner {
  double blocks = 0;
  Seconds by{};
};
FreeSooner schedulers_free_sooner(const CodeWave& wave, const Enabled& enabled);

// A9. The first wave's blocks begin one after the other, the last `later` than the first, and end so. Returns
// how much sooner than behind the last of them a tail of `blocks` an SM begins, in the places of the first
// ones.
Seconds begun_sooner(const CodeWave& first, double blocks, Seconds later, const Enabled& enabled);

// A20. A tail of `blocks` an SM that runs beside the wave's last blocks. `ends`: how long it has its places
// before the wave's last block ends; `whole`, `alone`: time of the wave's blocks, and of those alone that are
// left then.
struct Beside {
  Seconds ends{}, whole{}, alone{};
  // How much sooner than behind the wave a tail ends that takes `tail` by itself.
  Seconds sooner(Seconds tail) const;
};
Beside tail_beside_wave(const CodeWave& wave, double blocks, const Enabled& enabled);

// A9. A tail in clusters behind `count` waves, on the part of the device that it keeps longest: its blocks an
// SM, and how much sooner than the median part that one has places for them. That is the part whose places
// are free first, where it takes more than its share of them, else the one that has the tail's last place.
// The waves' last block starts `later` than their first.
struct FirstPart {
  double blocks = 0;
  Seconds ahead{};
};
FirstPart first_part(const CodeWave& wave, double count, const Wave& tail, double cluster, double parts,
                     Seconds later, const Enabled& enabled);

// A9. A tail behind `count` waves whose paces are not known, on the SM whose places are free first: its
// blocks, how much sooner than behind the wave the first of them begins, and the last one later than that.
struct TailOfFirst {
  double blocks = 0;
  Seconds sooner{}, spread{};
};
TailOfFirst tail_of_first_sm(const CodeWave& wave, double count, const Wave& tail, const Machine& machine,
                             const Enabled& enabled);

// A9. Whether blocks of a tail behind `count` waves of pairs come to some scheduler in twos.
bool tail_in_twos(const CodeWave& wave, double count, const Wave& tail, double cluster, double sms);

// A9. Tail of lone blocks behind `count` waves: how much later than on the median SM the places are free that
// its last blocks take.
Seconds filled_later(const CodeWave& wave, double count, const Wave& tail, double cluster,
                     const Machine& machine, const Enabled& enabled);

// A4. How much later all of the wave's blocks have done what it says than one less of them; nullopt where
// there is only one.
std::optional<Seconds> computed_later(const CodeWave& wave, const Enabled& enabled);

// A18. Further time of blocks in step, beyond the wave_time() of blocks that are apart, the last of which
// starts `later`: while they load, while they store, and in the first wave only (`first`, A20). Later waves
// keep shares of `loading` and `storing`; of `storing` the smaller, the less time L2 and DRAM have `left`.
// together_time() sums over `count` waves behind `before` others.
struct Together {
  Seconds loading{}, storing{}, first{};
  double left = 1;
};
Together together(const CodeWave& wave, Seconds later, const Enabled& enabled);
Seconds together_time(const Together& first, const CodeWave& wave, double before, double count);

}  // namespace tilecast::analytic
