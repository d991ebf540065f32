#pragma once
// Parameters of reference.cu, shared by host and device.

struct FillParams {
  unsigned long long seed;
  long long count;
};

struct PoisonParams {
  long long words;
};

struct ReferenceParams {
  long long N, C, H, W, M, K, stride, pad, dilation, out_h, out_w;
};

struct CompareParams {
  long long count;
};

// A tensor of [outer][rows][columns] becomes [outer][columns][rows].
struct SwapParams {
  long long outer, rows, columns;
};
