#pragma once
// S4. Memory instructions on their way to the SM's pipe.

#include <cstdint>
#include <vector>

#include "model/sim/decode.hpp"

namespace tilecast::sim {

struct QueueEntry {
  static constexpr int most_places = 2;  // a copy's

  std::int32_t warp = 0, op = 0;
  std::int32_t block = 0;  // of the warp, whose place another may have taken by now
  // What the queue and the pipe ask of each, without a look at the operation.
  bool barrier = false, copy = false, shared_store = false, global_store = false, behind_copy = false;
  std::uint8_t read_barrier = no_scoreboard;  // still to be released, by an instruction that waits outside
  Cycle ready = 0;                            // when its sources have been read

  // Of the SM's queue. A global store waits in its scheduler's until the pipe has taken it. That barriers
  // take none is not measured; they do not take the pipe either.
  int places() const { return barrier || global_store ? 0 : copy ? most_places : 1; }
  bool store() const { return shared_store || global_store; }
};

// Each scheduler has a queue of its own, and behind it is one of the SM, whose places all share. A
// scheduler's instructions stay in order; the pipe takes those in the SM's queue, and global stores.
class MemoryQueue {
 public:
  // Each scheduler's queue holds `own` instructions, at least one; the SM's has `shared` places, at least as
  // many as an instruction takes at most.
  MemoryQueue(int schedulers, int own, int shared)
      : rings_(static_cast<std::size_t>(schedulers), Ring(own + shared + spare)),
        own_(own),
        free_places_(shared) {}

  // Whether the scheduler has to wait before it issues another one.
  bool full(int scheduler) const { return ring(scheduler).held >= own_ || ring(scheduler).left() == 0; }
  bool empty(int scheduler) const { return ring(scheduler).size == 0; }
  // Whether one of the scheduler's is in the SM's queue, and the first of these.
  bool offers(int scheduler) const { return ring(scheduler).inside > 0; }
  const QueueEntry& head(int scheduler) const { return ring(scheduler).at(0); }

  // Adds what the scheduler has issued, not while its queue is full. A barrier goes past the stores before it
  // (S5). Whether it is in the SM's queue at once: it has room, and nothing of the scheduler waits before it.
  bool add(int scheduler, const QueueEntry& entry) {
    Ring& r = ring(scheduler);
    int at = r.size++;
    for (; entry.barrier && at > 0 && r.at(at - 1).store(); --at)
      r.at(at) = r.at(at - 1);
    r.at(at) = entry;
    ++r.held;
    ++outside_;
    const bool enters = at < r.inside || (at == r.inside && entry.places() <= free_places_);
    if (enters) enter(r, entry);
    return enters;
  }

  // The scheduler's head leaves for the pipe.
  void take(int scheduler) {
    Ring& r = ring(scheduler);
    free_places_ += r.at(0).places();
    if (r.at(0).global_store) --r.held;
    r.first = r.index(1);
    --r.size;
    --r.inside;
  }

  // Schedulers' instructions enter the SM's queue in turn, until the next one has no room. Calls
  // entered(scheduler, entry) for each, after which the entry is the queue's.
  template <class Entered>
  void let_in(Entered&& entered) {
    if (outside_ == 0) return;
    const int schedulers = static_cast<int>(rings_.size());
    for (int tried = 0; tried < schedulers; turn_ = turn_ + 1 < schedulers ? turn_ + 1 : 0) {
      Ring& r = ring(turn_);
      if (r.outside() == 0) {
        ++tried;
        continue;
      }
      QueueEntry& next = r.at(r.inside);
      if (next.places() > free_places_) return;
      enter(r, next);
      entered(turn_, next);
      tried = 0;
    }
  }

 private:
  static constexpr int spare = 16;  // barriers in the SM's queue, which take no places: one a warp

  // One scheduler's instructions; the first `inside` are in the SM's queue.
  struct Ring {
    explicit Ring(int places) : entries(static_cast<std::size_t>(places)), capacity(places) {}
    std::vector<QueueEntry> entries;
    int capacity = 0;
    int first = 0, size = 0, inside = 0;
    int held = 0;  // in the scheduler's own queue: those outside, and stores

    int left() const { return capacity - size; }
    int outside() const { return size - inside; }
    // Of the n-th from the first, n <= capacity. Divisions would slow the pipe.
    int index(int n) const { return first + n < capacity ? first + n : first + n - capacity; }
    const QueueEntry& at(int n) const { return entries[static_cast<std::size_t>(index(n))]; }
    QueueEntry& at(int n) { return entries[static_cast<std::size_t>(index(n))]; }
  };

  Ring& ring(int scheduler) { return rings_[static_cast<std::size_t>(scheduler)]; }
  const Ring& ring(int scheduler) const { return rings_[static_cast<std::size_t>(scheduler)]; }
  void enter(Ring& r, const QueueEntry& entry) {
    ++r.inside;
    --outside_;
    free_places_ -= entry.places();
    if (!entry.global_store) --r.held;
  }

  std::vector<Ring> rings_;
  int own_ = 0, free_places_ = 0;
  int outside_ = 0;  // instructions of all schedulers that are not in the SM's queue
  int turn_ = 0;     // the scheduler whose instruction enters next
};

}  // namespace tilecast::sim
