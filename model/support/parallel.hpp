#pragma once
// Independent work on all cores.

#include <cstddef>
#include <functional>

namespace tilecast {

// work(0) to work(count - 1), each once, in any order, on `threads` threads (0: as many as the machine has),
// the caller's among them. After the first exception no more is begun; it is thrown once all threads have
// ended.
void parallel_for(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work);

}  // namespace tilecast
