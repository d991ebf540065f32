#pragma once
// The tiled matrix product in device code: A's copies, the loop over the reduction, and the ways to write C.
// Tile is a type with `static constexpr Geometry geometry()`; B's copies are the family's own (a type with
// the members of FetchA). Included after instructions.hpp, or after what a test has in its place.

#include "gemm_tile/gemm_tile_index.hpp"

namespace gemm_tile_device {

using namespace tilecast::gemm_tile;

// Which copies of A a thread makes, and how far it has got: one step of BK a call.
// Rows beyond the last are not copied: what lies there reaches no output that is stored. A k beyond the last
// is zero.
template <class Tile>
struct FetchA {
  static constexpr Geometry g = Tile::geometry();
  static constexpr int copies = a_copies_m(g) * a_copies_k(g);
  float* shared;        // the thread's first element in the first stage
  const float* source;  // its first element in the coming step
  int depth;            // floats between two rows
  int rows_left;        // from its first row to the last; 0 for a thread that copies none
  int depth_left;       // from its first k in the coming step
  float staged[g.async ? 1 : copies * g.vec_a];

  __device__ __forceinline__ void begin(float* stages, const float* a, int rows, int depth_of_all,
                                        int first_m, int first_k, int thread) {
    constexpr Geometry geometry = Tile::geometry();
    const CopyPlace at = a_place(geometry, thread);
    shared = stages + a_at(geometry, at.k, at.x);
    depth = depth_of_all;
    source = a + (static_cast<long long>(first_m + at.x) * depth + first_k + at.k);
    rows_left = at.copies ? rows - first_m - at.x : 0;
    depth_left = depth - first_k - at.k;
  }
  __device__ __forceinline__ const float* from(int ck, int cm) const {
    return source + (static_cast<long long>(cm * a_groups_m(Tile::geometry())) * depth +
                     ck * 8 * a_groups_k(Tile::geometry()));
  }
  __device__ __forceinline__ void advance() {
    source += Tile::geometry().BK;
    depth_left -= Tile::geometry().BK;
  }
  __device__ __forceinline__ void copy(int stage) {
    constexpr Geometry geometry = Tile::geometry();
    const unsigned target = shared_address(shared + stage * geometry.stage_floats);
#pragma unroll
    for (int ck = 0; ck < a_copies_k(geometry); ++ck) {
      const bool present = ck * 8 * a_groups_k(geometry) < depth_left;
#pragma unroll
      for (int cm = 0; cm < a_copies_m(geometry); ++cm)
        copy_async<1>(cm * a_groups_m(geometry) < rows_left, present,
                      target + 4 * a_at(geometry, ck * 8 * a_groups_k(geometry), cm * a_groups_m(geometry)),
                      from(ck, cm));
    }
    advance();
  }
  __device__ __forceinline__ void load() {
    constexpr Geometry geometry = Tile::geometry();
#pragma unroll
    for (int ck = 0; ck < a_copies_k(geometry); ++ck) {
      // depth and first k are multiples of vec_a: a vector is present as a whole or not at all.
      const int limit = ck * 8 * a_groups_k(geometry) < depth_left ? rows_left : 0;
#pragma unroll
      for (int cm = 0; cm < a_copies_m(geometry); ++cm) {
        float* const v = staged + (ck * a_copies_m(geometry) + cm) * geometry.vec_a;
        const bool wanted = cm * a_groups_m(geometry) < limit;
        if constexpr (geometry.vec_a == 4) {
          float4 loaded = make_float4(0, 0, 0, 0);
          if (wanted) loaded = *reinterpret_cast<const float4*>(from(ck, cm));
          v[0] = loaded.x, v[1] = loaded.y, v[2] = loaded.z, v[3] = loaded.w;
        } else {
          v[0] = wanted ? *from(ck, cm) : 0.0F;
        }
      }
    }
    advance();
  }
  __device__ __forceinline__ void store(int stage) const {
    constexpr Geometry geometry = Tile::geometry();
    if (!(a_groups_m(geometry) * a_groups_k(geometry) * a_lanes(geometry) == geometry.threads) &&
        rows_left == 0)
      return;
    float* const target = shared + stage * geometry.stage_floats;
#pragma unroll
    for (int ck = 0; ck < a_copies_k(geometry); ++ck) {
#pragma unroll
      for (int cm = 0; cm < a_copies_m(geometry); ++cm) {
#pragma unroll
        for (int i = 0; i < geometry.vec_a; ++i)
          target[a_at(geometry, ck * 8 * a_groups_k(geometry) + i, cm * a_groups_m(geometry))] =
              staged[(ck * a_copies_m(geometry) + cm) * geometry.vec_a + i];
      }
    }
  }
};

// `groups` groups of four consecutive floats, `step` floats apart.
template <int groups, int step>
__device__ __forceinline__ void load_fragment(float (&target)[4 * groups], const float* source) {
#pragma unroll
  for (int i = 0; i < groups; ++i) {
    const float4 v = *reinterpret_cast<const float4*>(source + i * step);
    target[4 * i] = v.x, target[4 * i + 1] = v.y, target[4 * i + 2] = v.z, target[4 * i + 3] = v.w;
  }
}

// One k: TM x TN multiply-adds, in a serpentine, so that each shares an operand with the one before.
template <int TM, int TN>
__device__ __forceinline__ void multiply_add(float (&sum)[TM][TN], const float (&a)[TM],
                                             const float (&b)[TN]) {
#pragma unroll
  for (int m = 0; m < TM; ++m) {
#pragma unroll
    for (int i = 0; i < TN; ++i) {
      const int n = m % 2 ? TN - 1 - i : i;
      sum[m][n] = fmaf(a[m], b[n], sum[m][n]);
    }
  }
}

// sum += A B over `steps` steps. Copies run `stages` - 1 steps ahead of the multiply-adds (one step, through
// registers). Fragments are read one k ahead, across steps too: the last k of a step hides the wait for the
// next one.
template <class Tile, class B, class Params>
__device__ __forceinline__ void multiply(float (&sum)[Tile::geometry().TM][Tile::geometry().TN],
                                         float* shared, FetchA<Tile>& a, B& b, int steps, const Place& at,
                                         const Params& params, int thread) {
  constexpr Geometry g = Tile::geometry();
  constexpr int ahead = g.async ? g.stages - 1 : 1;
  if constexpr (g.async) {
#pragma unroll 1
    for (int step = 0; step < ahead; ++step) {
      b.prepare(params, thread);
      if (step < steps) {
        a.copy(step);
        b.copy(step);
      }
      commit();
    }
    b.prepare_next(params, thread);
    wait_all_but<ahead - 1>();
  } else {
    b.prepare(params, thread);
    a.load();
    b.load();
    b.prepare_next(params, thread);
    a.store(0);
    b.store(0);
  }
  __syncthreads();

  float x[2][g.TM], y[2][g.TN];
  const float* const first_a = shared + a_at(g, 0, at.m);
  const float* const first_b = shared + b_at(g, 0, at.n);
  const float* from_a = first_a;
  const float* from_b = first_b;
  const auto read = [&](int buffer, int k) {
    load_fragment<g.TM / 4, group_step_m(g)>(x[buffer], from_a + k * g.pitch_a);
    load_fragment<g.TN / 4, group_step_n(g)>(y[buffer], from_b + k * g.pitch_b);
  };
  read(0, 0);
  int reading = 0, filling = ahead;  // stages
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    if constexpr (g.async) {
      if (step + ahead < steps) {
        a.copy(filling);
        b.copy(filling);
        if (++filling == g.stages) filling = 0;
        b.prepare_next(params, thread);
      }
      commit();
    } else {
      if (step + 1 < steps) {
        a.load();
        b.load();
        b.prepare_next(params, thread);
      }
    }
#pragma unroll 1
    for (int done = 0; done < g.BK; done += g.unroll) {
#pragma unroll
      for (int k = 0; k < g.unroll; ++k) {
        if (k + 1 < g.unroll) {
          read((k + 1) % 2, k + 1);
        } else if (g.unroll < g.BK && done + g.unroll < g.BK) {
          from_a += g.unroll * g.pitch_a;
          from_b += g.unroll * g.pitch_b;
          read(0, 0);
        } else {
          if constexpr (g.async) {
            wait_all_but<ahead - 1>();
          } else {
            if constexpr (g.stages == 1) __syncthreads();
          }
          if constexpr (g.stages > 1) {
            if (++reading == g.stages) reading = 0;
          }
          if constexpr (!g.async) {
            if (step + 1 < steps) {
              a.store(reading);
              b.store(reading);
            }
          }
          __syncthreads();
          from_a = first_a + reading * g.stage_floats;
          from_b = first_b + reading * g.stage_floats;
          read(0, 0);
        }
        multiply_add(sum, x[k % 2], y[k % 2]);
      }
    }
  }
}

// Writes the thread's sums: C's element (m, n) is target[m * row_stride + column(n)]. vec_c floats at a time:
// if four, then columns and row_stride are multiples of four and four columns lie side by side.
template <class Tile, class Column>
__device__ __forceinline__ void store_tile(const float (&sum)[Tile::geometry().TM][Tile::geometry().TN],
                                           float* target, long long row_stride, int first_m, int rows,
                                           int first_n, int columns, const Column& column, const Place& at) {
  constexpr Geometry g = Tile::geometry();
  float* const first = target + (first_m + at.m) * row_stride;
  const int rows_left = rows - first_m - at.m;
#pragma unroll
  for (int j = 0; j < g.TN; j += g.vec_c) {
    const int n = first_n + at.n + j / 4 * group_step_n(g) + j % 4;
    const int limit = n < columns ? rows_left : 0;
    float* const here = first + column(n);
#pragma unroll
    for (int i = 0; i < g.TM; ++i) {
      float* const to = here + row_of(g, i) * row_stride;
      if constexpr (g.vec_c == 4)
        store_if(row_of(g, i) < limit, to,
                 make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]));
      else
        store_if(row_of(g, i) < limit, to, sum[i][j]);
    }
  }
}

// The same where the blocks of a cluster hold parts of the sum: each puts some rows of every thread into its
// shared memory, then adds up and stores its share of them, in the order of the parts: the result does not
// depend on timing.
template <class Tile, class Column>
__device__ __forceinline__ void store_split_tile(const float (&sum)[Tile::geometry().TM][Tile::geometry().TN],
                                                 float* shared, int part, int parts, float* target,
                                                 long long row_stride, int first_m, int rows, int first_n,
                                                 int columns, const Column& column, const Place& at,
                                                 int thread) {
  constexpr Geometry g = Tile::geometry();
  constexpr int fours = g.BN / 4, total = g.pass_rows * thread_rows(g) * fours;
  const int share = total / parts;  // powers of two
#pragma unroll
  for (int pass = 0; pass < g.TM; pass += g.pass_rows) {
    // Nobody reads the stages, or the rows of the pass before, any more.
    if (pass == 0)
      __syncthreads();
    else
      cluster_barrier();
#pragma unroll
    for (int i = 0; i < g.pass_rows; ++i) {
#pragma unroll
      for (int j = 0; j < g.TN; j += 4) {
        const float(&v)[g.TN] = sum[pass + i];
        *reinterpret_cast<float4*>(shared +
                                   sum_at(g, i, thread_row(g, at.m), at.n + j / 4 * group_step_n(g))) =
            make_float4(v[j], v[j + 1], v[j + 2], v[j + 3]);
      }
    }
    cluster_barrier();
#pragma unroll 1
    for (int e = part * share + thread; e < (part + 1) * share; e += g.threads) {
      const int row = e / fours, n = first_n + e % fours * 4;
      const unsigned address =
          shared_address(shared + sum_at(g, row / thread_rows(g), row % thread_rows(g), e % fours * 4));
      float4 v = load_cluster4(address, 0);
#pragma unroll 4
      for (int other = 1; other < parts; ++other) {
        const float4 w = load_cluster4(address, other);
        v.x += w.x, v.y += w.y, v.z += w.z, v.w += w.w;
      }
      const int m = first_m + first_row_of(g, row % thread_rows(g)) + row_of(g, pass + row / thread_rows(g));
      float* const to = target + m * row_stride;
      if constexpr (g.vec_c == 4) {
        store_if(m < rows && n < columns, to + column(n), v);
      } else {
        store_if(m < rows && n < columns, to + column(n), v.x);
        store_if(m < rows && n + 1 < columns, to + column(n + 1), v.y);
        store_if(m < rows && n + 2 < columns, to + column(n + 2), v.z);
        store_if(m < rows && n + 3 < columns, to + column(n + 3), v.w);
      }
    }
  }
  cluster_barrier();  // a block that ends takes its shared memory with it
}

}  // namespace gemm_tile_device
