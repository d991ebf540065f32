// The float64 reference on the device: one thread an output, in the plainest form, because its only virtue is
// to be right. Used where the CPU would take minutes; itself checked against Eigen in the GPU tests.

#include "device/random_values.h"
#include "device/reference.h"

extern "C" __global__ void fill_random(float* values, FillParams p) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < p.count; i += step)
    values[i] = random_value(p.seed, i);
}

// A kernel of ours and not cuMemsetD32, which makes every later launch of the process slower
// (microbench/results/nvidia-h200/FINDINGS.md, launch history).
extern "C" __global__ void poison_words(unsigned int* words, PoisonParams p) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < p.words; i += step)
    words[i] = 0xFFFFFFFFu;  // a NaN
}

// NCHW input, OIHW filters, NCHW output; zeros outside the map.
extern "C" __global__ void convolve_float64(const float* input, const float* filters, double* output,
                                            ReferenceParams p) {
  const long long pixels = p.out_h * p.out_w;
  const long long outputs = p.N * p.M * pixels;
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < outputs; i += step) {
    const long long x0 = i % p.out_w * p.stride - p.pad;
    const long long y0 = i / p.out_w % p.out_h * p.stride - p.pad;
    const long long m = i / pixels % p.M;
    const long long n = i / (pixels * p.M);
    const float* filter = filters + m * p.C * p.K * p.K;
    double sum = 0;
    for (long long c = 0; c < p.C; ++c) {
      const float* map = input + (n * p.C + c) * p.H * p.W;
      for (long long ky = 0; ky < p.K; ++ky) {
        for (long long kx = 0; kx < p.K; ++kx, ++filter) {
          const long long y = y0 + ky * p.dilation, x = x0 + kx * p.dilation;
          if (y < 0 || y >= p.H || x < 0 || x >= p.W) continue;
          sum += static_cast<double>(map[y * p.W + x]) * static_cast<double>(*filter);
        }
      }
    }
    output[i] = sum;
  }
}

// result[0]: bits of max |output - reference|, result[1]: bits of max |reference| (bits of doubles of 0 or
// more sort as integers do), result[2]: how many outputs are not finite; each of them counts as infinitely
// wrong.
extern "C" __global__ void compare_float64(const float* output, const double* reference,
                                           unsigned long long* result, CompareParams p) {
  const double infinity = __longlong_as_double(0x7FF0000000000000ll);
  double worst = 0, largest = 0;
  unsigned long long not_finite = 0;
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < p.count; i += step) {
    const double value = output[i];
    const bool finite = fabs(value) < infinity;  // false for NaN
    if (!finite) ++not_finite;
    worst = fmax(worst, finite ? fabs(value - reference[i]) : infinity);
    largest = fmax(largest, fabs(reference[i]));
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    worst = fmax(worst, __shfl_xor_sync(0xFFFFFFFFu, worst, offset));
    largest = fmax(largest, __shfl_xor_sync(0xFFFFFFFFu, largest, offset));
    not_finite += __shfl_xor_sync(0xFFFFFFFFu, not_finite, offset);
  }
  if (threadIdx.x % 32 != 0) return;
  atomicMax(&result[0], static_cast<unsigned long long>(__double_as_longlong(worst)));
  atomicMax(&result[1], static_cast<unsigned long long>(__double_as_longlong(largest)));
  if (not_finite) atomicAdd(&result[2], not_finite);
}

// NCHW to NHWC and back: [outer][rows][columns] to [outer][columns][rows]. Outside every timing.
extern "C" __global__ void swap_inner(const float* from, float* to, SwapParams p) {
  const long long count = p.outer * p.rows * p.columns;
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    const long long row = i % p.rows, column = i / p.rows % p.columns, outer = i / (p.rows * p.columns);
    to[i] = from[(outer * p.rows + row) * p.columns + column];
  }
}
