#include "microbench/plain_chase.hpp"

#include <chrono>

#include "microbench/reduction.hpp"

namespace tilecast {

PlainChase::PlainChase(const ProbeContext& context, std::size_t bytes, unsigned seed)
    : context_(context),
      ring_(bytes / 128 * 128),
      out_(8),
      chase_(load_probe(context, {"probes/plain_chase.cu", "plain_chase", {}})),
      params_{bytes / 128, 128, 0, seed, 0} {
  const ProbeKernel build = load_probe(context, {"probes/plain_chase.cu", "plain_ring", {}});
  run_probe(context, build, {context.gpu.info().sm_count * 2, 512}, params_, 0, 0, ring_.address());
}

double PlainChase::seconds(unsigned steps) {
  params_.steps = steps;
  const auto start = std::chrono::steady_clock::now();
  run_probe(context_, chase_, {1, 1}, params_, ring_.address(), 0, out_.address());
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  params_.start = (params_.start + steps) % params_.nodes;
  return took;
}

double PlainChase::seconds_per_load(unsigned fewer, unsigned more) {
  const double shorter = seconds(fewer);
  return slope(fewer, shorter, more, seconds(more));
}

}  // namespace tilecast
