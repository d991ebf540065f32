#pragma once
// What several experiments of this folder share. Host: errors, memory, launches and what they take, order
// statistics. Device: clocks, where a warp is, barriers and fences of clusters.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

// A CUDA call that fails, or a kernel before it that could not be launched, ends the program and says where.
#define CHECK(call) check(call, __FILE__, __LINE__)
inline void check(cudaError_t error, const char* file, int line) {
  if (error == cudaSuccess) error = cudaGetLastError();
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(error));
  std::exit(1);
}

// Memory of the device; all its bytes are `byte`, or whatever they are.
template <class T>
T* device_room(std::size_t bytes) {
  T* room = nullptr;
  CHECK(cudaMalloc(&room, bytes));
  return room;
}
template <class T>
T* device_room(std::size_t bytes, int byte) {
  T* const room = device_room<T>(bytes);
  CHECK(cudaMemset(room, byte, bytes));
  return room;
}
// Memory that the host reads, too.
template <class T>
T* managed_room(std::size_t bytes) {
  T* room = nullptr;
  CHECK(cudaMallocManaged(&room, bytes));
  return room;
}
// The same `count` numbers between -0.5 and 0.5 each time.
inline float* random_numbers(int count) {
  std::vector<float> numbers(count);
  unsigned state = 1;
  for (float& n : numbers) {
    state = state * 1664525 + 1013904223;
    n = static_cast<float>(state >> 8) / (1 << 24) - 0.5F;
  }
  float* const room = device_room<float>(sizeof(float) * count);
  CHECK(cudaMemcpy(room, numbers.data(), sizeof(float) * count, cudaMemcpyHostToDevice));
  return room;
}
// What kernels have left there when they are done.
template <class T>
std::vector<T> to_host(const T* from, std::size_t count) {
  std::vector<T> host(count);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}

// The least that a kernel leaves in `cycles` (managed), of so many launches, one after the other.
template <class Launch>
long long least_cycles(int launches, const long long* cycles, const Launch& launch) {
  long long least = 1LL << 60;
  for (int i = 0; i < launches; ++i) {
    launch();
    CHECK(cudaDeviceSynchronize());
    least = std::min(least, *cycles);
  }
  return least;
}

inline int sm_count() {
  int sms = 0;
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  return sms;
}
// SMs that clusters of so many blocks reach on an H200.
inline int sms_of_clusters(int cluster) {
  return cluster <= 2 ? 132 : cluster <= 8 ? 120 : 112;
}

template <class... P>
void allow_shared(void (*kernel)(P...), int bytes) {
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}
template <class... P>
void allow_clusters(void (*kernel)(P...)) {
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
}

// A launch in clusters; with `cluster` 0 as without them.
struct Grid {
  int blocks, threads, shared, cluster;
  cudaStream_t stream = nullptr;
};
struct LaunchConfig : cudaLaunchConfig_t {
  cudaLaunchAttribute attribute{};

  explicit LaunchConfig(const Grid& g) : cudaLaunchConfig_t{} {
    gridDim = dim3(g.blocks), blockDim = dim3(g.threads), dynamicSmemBytes = g.shared, stream = g.stream;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = g.cluster, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    attrs = &attribute, numAttrs = g.cluster > 0 ? 1 : 0;
  }
  LaunchConfig(const LaunchConfig&) = delete;
};
template <class... P, class... A>
void launch_grid(void (*kernel)(P...), const Grid& grid, A... arguments) {
  const LaunchConfig config(grid);
  CHECK(cudaLaunchKernelEx(&config, kernel, static_cast<P>(arguments)...));
}

// Microseconds of what `work` puts into the stream, of `runs` times behind `before` more, sorted.
template <class Work>
std::vector<double> times_us(int before, int runs, const Work& work, cudaStream_t stream = nullptr) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<double> us;
  for (int i = 0; i < before + runs; ++i) {
    CHECK(cudaEventRecord(begin, stream));
    work();
    CHECK(cudaEventRecord(end, stream));
    CHECK(cudaEventSynchronize(end));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    if (i >= before) us.push_back(1000.0 * ms);
  }
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  std::sort(us.begin(), us.end());
  return us;
}
// Of one of `nodes` launches that a CUDA graph replays so often; `launch` puts one into the stream it is
// given.
template <class Launch>
std::vector<double> graph_times_us(int nodes, int before, int runs, const Launch& launch) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < nodes; ++i)
    launch(stream);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  auto us = times_us(
      before, runs, [&] { CHECK(cudaGraphLaunch(exec, stream)); }, stream);
  for (double& t : us)
    t /= nodes;
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  return us;
}
// The median of `runs` behind two more.
template <class Launch>
double graph_time_us(int nodes, int runs, const Launch& launch) {
  return graph_times_us(nodes, 2, runs, launch)[runs / 2];
}

// Writes zeros. Of more memory than L2 has, so that nothing else is there afterwards.
__global__ void wipe(float4* data, size_t count) {
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < count;
       i += size_t{gridDim.x} * blockDim.x)
    data[i] = make_float4(0, 0, 0, 0);
}

template <class T>
std::vector<T> sorted(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  return values;
}
template <class T>
T median(std::vector<T> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}
// Of sorted values, the one with so large a share of them before it; 0 of none.
template <class T>
T at_share(const std::vector<T>& values, double share) {
  return values.empty() ? T{}
                        : values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}
// Whether clock a is before b; clocks of 32 bits begin anew every two seconds.
inline bool sooner(unsigned a, unsigned b) {
  return static_cast<int>(a - b) < 0;
}
inline unsigned latest(unsigned a, unsigned b) {
  return sooner(a, b) ? b : a;
}
inline unsigned soonest(unsigned a, unsigned b) {
  return sooner(a, b) ? a : b;
}
// Cycles from the first begin to the last end that the warps of a block have noted in `out` (two clocks
// each), the least of three launches; one before them brings the code.
template <class Launch>
unsigned least_of_warps(int warps, const float* out, const Launch& launch) {
  unsigned least = ~0U;
  for (int i = 0; i < 4; ++i) {
    launch();
    const auto notes = to_host(reinterpret_cast<const unsigned*>(out), warps * 2);
    unsigned begin = notes[0], end = notes[1];
    for (int w = 1; w < warps; ++w) {
      begin = soonest(notes[2 * w], begin);
      end = latest(notes[2 * w + 1], end);
    }
    if (i > 0) least = std::min(least, end - begin);
  }
  return least;
}
// Of one SM's blocks (with `begin` and `end`), from an end until another block begins in its place, of the
// blocks of waves [from, to) of `resident` each. They are sorted by their begins.
template <class Block>
std::vector<unsigned> gaps_of_places(std::vector<Block>& blocks, int resident, int from, int to) {
  std::sort(blocks.begin(), blocks.end(),
            [](const Block& a, const Block& b) { return sooner(a.begin, b.begin); });
  std::vector<unsigned> gaps, ends;  // ends whose place has not been taken again
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto wave = static_cast<int>(i) / resident;
    if (wave > 0) {
      const auto first = std::min_element(ends.begin(), ends.end(), sooner);
      if (wave >= from && wave < to) gaps.push_back(blocks[i].begin - *first);
      ends.erase(first);
    }
    ends.push_back(blocks[i].end);
  }
  return gaps;
}
// Of rows of so many words, the SM first, those of `sm`: use(number, row, the soonest of the rows' third
// words).
template <class Use>
void rows_of_sm(const std::vector<unsigned>& rows, std::size_t words, unsigned sm, const Use& use) {
  const unsigned* first = nullptr;
  for (std::size_t i = 0; i < rows.size(); i += words)
    if (rows[i] == sm && (!first || sooner(rows[i + 2], first[2]))) first = &rows[i];
  for (std::size_t i = 0; i < rows.size(); i += words)
    if (rows[i] == sm) use(static_cast<int>(i / words), &rows[i], first[2]);
}

__device__ __forceinline__ unsigned now() {
  unsigned t;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
  return t;
}
__device__ __forceinline__ unsigned sm_id() {
  unsigned id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}
// Its scheduler is this modulo 4.
__device__ __forceinline__ unsigned warp_place() {
  unsigned id;
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(id));
  return id;
}
__device__ __forceinline__ unsigned shared_address(const void* at) {
  return static_cast<unsigned>(__cvta_generic_to_shared(at));
}
// Local memory (spilled registers). `offset` is 0, which the compiler does not know: else the array would be
// registers.
__device__ __forceinline__ unsigned local_address(unsigned* array, unsigned offset) {
  return static_cast<unsigned>(__cvta_generic_to_local(array)) + offset;
}
__device__ __forceinline__ unsigned load_local(unsigned at) {
  unsigned v;
  asm volatile("ld.local.u32 %0, [%1];" : "=r"(v) : "r"(at) : "memory");
  return v;
}
__device__ __forceinline__ void store_local(unsigned at, unsigned v) {
  asm volatile("st.local.u32 [%0], %1;" ::"r"(at), "r"(v) : "memory");
}
// By one load of 16 bytes.
__device__ __forceinline__ void load_four(float* to, const float* from) {
  const float4 v = *reinterpret_cast<const float4*>(from);
  to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
}
__device__ __forceinline__ void fence() {
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
}
__device__ __forceinline__ void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
// 16 bytes of the shared memory of block `rank` of the cluster, where this one has `address`.
__device__ __forceinline__ float4 load_cluster4(unsigned address, int rank) {
  float4 v;
  asm volatile(
      "{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %4, %5;\n"
      "ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [there];\n}"
      : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
      : "r"(address), "r"(rank)
      : "memory");
  return v;
}
