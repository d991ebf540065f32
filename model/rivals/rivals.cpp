#include "model/rivals/rivals.hpp"

#include <array>

namespace tilecast::rivals {

std::span<const Rival> rivals() {
  static constexpr std::array<Rival, 4> list{{
      {"roofline", "plain roofline (Williams et al. 2009)", roofline},
      {"hong_kim", "memory and computation warp parallelism (Hong and Kim 2009)", hong_kim},
      {"triton", "Triton's max(compute, load) + store", triton},
      {"origami", "Origami's latency of a tile times waves (AMD 2025)", origami},
  }};
  return list;
}

}  // namespace tilecast::rivals
