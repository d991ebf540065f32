// S3 against loops of FFMAs whose operands were exchanged (microbench/experiments/operand_patterns.cu).
#include "model/sim/operand_ports.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "model/support/csv.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::sim;

namespace {

// The patterns' letters: e and o, a register of the even or the odd bank, another one each time; E, an even
// one that is always the same and kept; z, none.
class Operands {
 public:
  PortOperands of(std::string_view letters) {
    std::array<std::uint8_t, port_slots> sources{};
    unsigned reuse = 0;
    for (std::size_t slot = 0; slot < port_slots; ++slot) {
      const char letter = letters[slot];
      sources[slot] = letter == 'z'   ? no_register
                      : letter == 'E' ? static_cast<std::uint8_t>(2 * slot)
                                      : another(letter == 'o');
      reuse |= (letter == 'E' ? 1U : 0U) << slot;
    }
    return port_operands(sources, reuse);
  }

 private:
  std::uint8_t another(bool odd) { return static_cast<std::uint8_t>(10 + 2 * (turn_[odd]++ % 13) + odd); }
  std::array<int, 2> turn_{};
};

constexpr int ffmas = 480;

// Cycles in which a warp alone issues the loop's FFMAs.
Cycle cycles_of(const std::vector<std::string>& pattern) {
  OperandPorts ports;
  Operands operands;
  Cycle now = 0, begin = 0;
  for (int n = 0; n < 3 * ffmas; ++n) {
    if (n == 2 * ffmas) begin = now;
    const auto& letters = pattern[static_cast<std::size_t>(n) % pattern.size()];
    now += 1 + hold_for_ports(ports, now, 0, operands.of(letters));
  }
  return now - begin;
}

std::vector<std::string> ffmas_of(const std::string& name) {
  std::vector<std::string> all;
  for (std::size_t at = 0; at < name.size(); at += port_slots + 1)
    all.push_back(name.substr(at, port_slots));
  return all;
}

}  // namespace

TEST_CASE("register ports (S3): of 98 in 100 patterns of operands the cycles that an H200 takes", "[sim]") {
  const std::string path =
      TILECAST_SOURCE_DIR "/microbench/results/nvidia-h200/experiments/operand_patterns.csv";
  const CsvTable table = parse_csv(read_file(path), path);
  const auto name = table.column("pattern").value(), cycles = table.column("cycles").value();
  const double around = 3;  // the loop's own instructions: what patterns without reads take is 483
  int count = 0, exact = 0;
  double off = 0;
  for (const auto& row : table.rows) {
    const auto pattern = ffmas_of(row.fields[name]);
    const double difference =
        static_cast<double>(cycles_of(pattern)) + around - csv_number(table, row, cycles);
    // In cycles that one passage of the pattern takes.
    const double each = std::abs(difference) * static_cast<double>(pattern.size()) / ffmas;
    ++count;
    exact += each < 0.3 ? 1 : 0;
    off += each;
  }
  INFO(exact << " of " << count << ", " << off / count << " cycles off on average");
  CHECK(count > 11000);
  CHECK(exact > 0.98 * count);
  CHECK(off / count < 0.05);
}
