// When an FFMA's operands can be read: loops of 480 FFMAs whose operands were exchanged in the machine code,
// so that a pattern of up to twelve repeats. Two warps a scheduler, one block; cycles of a scheduler for the
// 480, the least of three times. No FFMA waits for another's result. CSV to standard output.
//   pattern: FFMAs by "_", a letter for each of slots a, b, c: e and o, a register of the even or the odd
//   bank, another one each time; E, one of the even bank that is always the same and marked for reuse; z, RZ
//   nvcc -O3 -std=c++17 -arch=sm_90a -cubin -o operand_patterns.cubin operand_patterns.cu &&
//   nvcc -O3 -std=c++17 -arch=sm_90a -o operand_patterns operand_patterns.cu &&
//   ./operand_patterns operand_patterns.cubin
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "experiment.hpp"

constexpr int ffmas = 480, chains = 16, warps = 8;

extern "C" __global__ void loop(const float* numbers, float* out, unsigned* clocks, unsigned rounds) {
  float sum[chains], w[chains], v[chains];
  for (int i = 0; i < chains; ++i) {
    sum[i] = numbers[i * 32 + threadIdx.x];
    w[i] = numbers[1000 + i * 32 + threadIdx.x];
    v[i] = numbers[2000 + i * 32 + threadIdx.x];
  }
  __syncthreads();
  const unsigned begin = now();
#pragma unroll 1
  for (unsigned n = 0; n < rounds; ++n) {
#pragma unroll
    for (int k = 0; k < ffmas / chains; ++k)
#pragma unroll
      for (int i = 0; i < chains; ++i)
        sum[i] = __fmaf_rn(w[(i + k) % chains], v[(i + 3 * k) % chains], sum[i]);
  }
  const unsigned end = now();
  float total = 0;
  for (const float s : sum)
    total += s;
  out[threadIdx.x] = total;
  if (threadIdx.x % 32 == 0) {
    clocks[threadIdx.x / 32 * 2] = begin;
    clocks[threadIdx.x / 32 * 2 + 1] = end;
  }
}

// A machine instruction of sm_90.
using Word = std::array<std::uint64_t, 2>;
using Pattern = std::vector<std::string>;

// The cubin's FFMAs, and the registers that these read and none of them writes, by bank.
struct Code {
  std::string cubin;
  std::vector<std::size_t> at;
  std::array<std::vector<std::uint64_t>, 2> registers;
};

Word word_at(const std::string& cubin, std::size_t at) {
  Word word;
  std::memcpy(word.data(), cubin.data() + at, sizeof word);
  return word;
}

Code read_code(const char* path) {
  std::ifstream file(path, std::ios::binary);
  Code code{{std::istreambuf_iterator<char>(file), {}}, {}, {}};
  std::set<std::uint64_t> read, written;
  for (std::size_t at = 0; at + sizeof(Word) <= code.cubin.size(); at += sizeof(Word)) {
    const Word word = word_at(code.cubin, at);
    if ((word[0] & 0xfff) != 0x223) continue;
    code.at.push_back(at);
    written.insert(word[0] >> 16 & 0xff);
    for (const std::uint64_t source : {word[0] >> 24, word[0] >> 32, word[1]})
      read.insert(source & 0xff);
  }
  for (const std::uint64_t source : read)
    if (!written.count(source)) code.registers[source % 2].push_back(source);
  if (code.at.size() != ffmas || std::min(code.registers[0].size(), code.registers[1].size()) < 8) {
    std::fprintf(stderr, "%s: %zu FFMAs, expected %d, and eight registers of each bank that they only read\n",
                 path, code.at.size(), ffmas);
    std::exit(1);
  }
  return code;
}

std::string with_operands(const Code& code, const Pattern& pattern) {
  std::string cubin = code.cubin;
  std::array<std::size_t, 2> turn{};
  for (int n = 0; n < ffmas; ++n) {
    Word word = word_at(cubin, code.at[n]);
    std::array<std::uint64_t, 3> sources{};
    std::uint64_t reuse = 0;
    for (int slot = 0; slot < 3; ++slot) {
      const char letter = pattern[n % pattern.size()][slot];
      const auto& bank = code.registers[letter == 'o'];
      if (letter == 'z') {
        sources[slot] = 255;
      } else if (letter == 'E') {  // one for each slot; the others begin behind them
        sources[slot] = bank[slot];
        reuse |= 1ULL << slot;
      } else {
        sources[slot] = bank[3 + turn[letter == 'o']++ % (bank.size() - 3)];
      }
    }
    word[0] = (word[0] & 0xffffff0000ffffffULL) | sources[0] << 24 | sources[1] << 32;
    word[1] = (word[1] & ~(0xffULL | 7ULL << 58)) | sources[2] | reuse << 58;
    std::memcpy(cubin.data() + code.at[n], word.data(), sizeof word);
  }
  return cubin;
}

// The FFMAs of three letters of `alphabet`.
Pattern kinds_of(const std::string& alphabet) {
  Pattern kinds;
  for (const char a : alphabet)
    for (const char b : alphabet)
      for (const char c : alphabet)
        kinds.push_back({a, b, c});
  return kinds;
}

// All of `length` FFMAs, of those that are the same from another one on the first.
void add_all(std::vector<Pattern>& to, const std::string& alphabet, int length) {
  const Pattern kinds = kinds_of(alphabet);
  std::vector<std::size_t> digits(length);
  for (;;) {
    Pattern pattern;
    for (const std::size_t digit : digits)
      pattern.push_back(kinds[digit]);
    Pattern turned = pattern;
    bool first = true;
    for (int n = 1; n < length; ++n) {
      std::rotate(turned.begin(), turned.begin() + 1, turned.end());
      first = first && pattern <= turned;
    }
    if (first) to.push_back(pattern);
    std::size_t place = 0;
    while (place < digits.size() && ++digits[place] == kinds.size())
      digits[place++] = 0;
    if (place == digits.size()) return;
  }
}

void add_random(std::vector<Pattern>& to, const std::string& alphabet, int length, int count) {
  const Pattern kinds = kinds_of(alphabet);
  static unsigned state = 1;
  for (int n = 0; n < count; ++n) {
    Pattern pattern;
    for (int i = 0; i < length; ++i) {
      state = state * 1664525 + 1013904223;
      pattern.push_back(kinds[(state >> 8) % kinds.size()]);
    }
    to.push_back(pattern);
  }
}

// All lengths divide the loop's.
std::vector<Pattern> patterns() {
  std::vector<Pattern> all;
  for (int length = 1; length <= 4; ++length)
    add_all(all, "ez", length);
  for (const int length : {5, 6, 8})
    add_random(all, "ez", length, 500);
  for (const int length : {2, 3, 4, 5, 6, 8, 10, 12}) {
    add_random(all, "eoz", length, 200);
    add_random(all, "eoE", length, 200);
  }
  return all;
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: operand_patterns CUBIN\n");
    return 2;
  }
  const Code code = read_code(argv[1]);
  const float* numbers = random_numbers(1 << 16);
  float* const out = device_room<float>(1 << 16);
  auto* const clocks = managed_room<unsigned>(2 * warps * sizeof(unsigned));
  std::printf("pattern,cycles\n");
  for (const Pattern& pattern : patterns()) {
    const std::string cubin = with_operands(code, pattern);
    cudaLibrary_t library;
    cudaKernel_t kernel;
    CHECK(cudaLibraryLoadData(&library, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    CHECK(cudaLibraryGetKernel(&kernel, library, "loop"));
    const auto least = [&](unsigned rounds) {
      unsigned cycles = ~0U;
      for (int time = 0; time < 3; ++time) {
        void* parameters[] = {&numbers, const_cast<float**>(&out), const_cast<unsigned**>(&clocks), &rounds};
        CHECK(cudaLaunchKernel(kernel, dim3(1), dim3(32 * warps), parameters, 0, nullptr));
        CHECK(cudaDeviceSynchronize());
        unsigned begin = clocks[0], end = clocks[1];
        for (int warp = 1; warp < warps; ++warp) {
          begin = std::min(begin, clocks[2 * warp]);
          end = std::max(end, clocks[2 * warp + 1]);
        }
        cycles = std::min(cycles, end - begin);
      }
      return cycles;
    };
    constexpr unsigned few = 8, many = 24;
    const double cycles = least(many) - static_cast<double>(least(few));
    std::string name;
    for (const auto& ffma : pattern)
      name += (name.empty() ? "" : "_") + ffma;
    std::printf("%s,%.2f\n", name.c_str(), cycles / (many - few) / (warps / 4));
    CHECK(cudaLibraryUnload(library));
  }
}
