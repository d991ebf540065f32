// What a read of a special register costs a warp that waits for it: cycles of a read, a comparison and a
// branch not taken, of 1 to 32 warps of an SM, beside the same with an exclusive or instead. The reads are
// put into the machine code (special_kernels.cu's reads of %smid are changed): S2R and S2UR, several
// registers. CSV to standard output.
//   nvcc -cubin -arch=sm_90a -O3 -o special_kernels.cubin special_kernels.cu
//   nvcc -O3 -std=c++17 -arch=sm_90a -o special_registers special_registers.cu
//   ./special_registers special_kernels.cubin
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "experiment.hpp"

struct Read {
  const char *instruction, *name;
  int number;
};

std::vector<char> with(std::vector<char> code, const Read& read) {
  int changed = 0;
  for (std::size_t at = 0; at + 16 <= code.size(); at += 4) {
    std::uint64_t low, high;
    std::memcpy(&low, &code[at], 8), std::memcpy(&high, &code[at + 8], 8);
    if ((low & 0xffff) != 0x7919 || (low >> 24) != 0 || (high & 0xffff) != 0x4300) continue;
    high = (high & ~0xff00ULL) | static_cast<std::uint64_t>(read.number) << 8;
    if (std::strcmp(read.instruction, "S2UR") == 0) low = (low & ~0xffffffULL) | 0x2879c3;  // to UR40
    std::memcpy(&code[at], &low, 8), std::memcpy(&code[at + 8], &high, 8);
    ++changed;
  }
  std::fprintf(stderr, "%s %s: %d\n", read.instruction, read.name, changed);
  return code;
}

double cycles(cudaKernel_t kernel, int warps, unsigned* out) {
  double at[2];
  for (int k = 0; k < 2; ++k) {
    unsigned never = 0xfffff000U;
    int trips = k == 0 ? 16 : 64;
    void* arguments[] = {&out, &never, &trips};
    for (int again = 0; again < 3; ++again)
      CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(132), dim3(32 * warps), arguments, 0,
                             nullptr));
    const auto all = to_host(out, 1 + 132 * 32);
    std::vector<double> took;
    for (int b = 0; b < 132; ++b)
      for (int w = 0; w < warps; ++w)
        took.push_back(all[static_cast<std::size_t>(1 + b * 32 + w)]);
    at[k] = median(took);
  }
  return (at[1] - at[0]) / 48 / 16;
}

int main(int argc, char** argv) {
  std::ifstream in(argc > 1 ? argv[1] : "special_kernels.cubin", std::ios::binary);
  const std::vector<char> code((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  auto* const out = device_room<unsigned>((1 + 132 * 32) * 4, 0);
  const Read reads[] = {{"S2R", "VIRTUALSMID", 0x43}, {"S2R", "CgaCtaId", 0x88},
                        {"S2R", "CTAID.X", 0x25},     {"S2R", "TID.X", 0x21},
                        {"S2R", "LANEID", 0x00},      {"S2UR", "VIRTUALSMID", 0x43},
                        {"S2UR", "CgaCtaId", 0x88},   {"S2UR", "CTAID.X", 0x25}};
  std::printf("instruction,register,warps,cycles,without\n");
  for (const auto& read : reads) {
    const auto changed = with(code, read);
    cudaLibrary_t library;
    CHECK(cudaLibraryLoadData(&library, changed.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    cudaKernel_t kernel, none;
    CHECK(cudaLibraryGetKernel(&kernel, library, "reads"));
    CHECK(cudaLibraryGetKernel(&none, library, "none"));
    for (const int warps : {1, 2, 4, 8, 16, 32})
      std::printf("%s,%s,%d,%.2f,%.2f\n", read.instruction, read.name, warps, cycles(kernel, warps, out),
                  cycles(none, warps, out));
  }
}
