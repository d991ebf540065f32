#include "model/analytic/hot_lines.hpp"

#include "model/analytic/analytic_test_device.hpp"
#include "tests/catch.hpp"

using namespace tilecast;
using namespace tilecast::analytic;

TEST_CASE("fullest slice (S14): lines fall at random", "[analytic]") {
  CHECK(lines_of_fullest(1) == 1);
  CHECK(lines_of_fullest(5) == 1);
  CHECK(lines_of_fullest(10) == 2);
  CHECK(lines_of_fullest(940) == Approx(lines_of_fullest(941)).epsilon(0.1));
}

TEST_CASE("busiest slice (S14): few lines that all blocks ask for", "[analytic]") {
  const auto device = round_device();
  const auto machine = machine_of(device);
  const double sms = machine.sms;
  auto kernel = round_kernel(static_cast<std::int64_t>(sms), 1);
  kernel.phases.resize(1);
  kernel.phases[0].role = PhaseRole::prologue;
  kernel.phases[0].trips = 1;
  kernel.phases[0].fetched = Bytes{1024};
  kernel.streams = {{.tensor = "filters",
                     .unique = Bytes{512},
                     .requested = Bytes{sms * 512},
                     .walks = 1,
                     .blocks_of_walk = sms,
                     .readers = sms}};
  const auto slice = *machine.l2_read / 94;
  const auto wait = [&](double at_once) { return busiest_slice(kernel, at_once, machine) * machine.clock; };
  // One of four lines in the fullest slice of a partition, which half of the SMs ask.
  const Cycles one_block = (1.0 / 4 - 1.0 / 47) * (Bytes{sms * 512 / 2} / slice) * machine.clock;
  CHECK(wait(sms).value() == Approx(one_block.value()));
  // Further blocks of an SM find it in L1.
  kernel.launch.blocks = 4 * static_cast<std::int64_t>(sms);
  kernel.streams[0].requested = Bytes{4 * sms * 512};
  kernel.streams[0].readers = kernel.streams[0].blocks_of_walk = 4 * sms;
  CHECK(wait(4 * sms).value() == Approx(one_block.value()));
  // Half of it, two lines, is asked for in the steps.
  kernel.phases.push_back(kernel.phases[0]);
  kernel.phases[1].role = PhaseRole::steady;
  CHECK(wait(4 * sms).value() == Approx(one_block.value() / 2 * (1.0 / 2 - 1.0 / 47) / (1.0 / 4 - 1.0 / 47)));
  // Nothing of what is spread evenly.
  kernel.streams[0].unique = Bytes{1e9};
  CHECK(wait(4 * sms) < Cycles{1});
}
