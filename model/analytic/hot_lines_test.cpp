#include "model/analytic/hot_lines.hpp"

#include "model/analytic/analytic_test_device.hpp"
#include "model/analytic/bounds.hpp"
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

TEST_CASE("busiest slice (A22): requests of a launch", "[analytic]") {
  const auto device = round_device();
  const auto machine = machine_of(device);
  const double sms = machine.sms;
  auto kernel = round_kernel(static_cast<std::int64_t>(sms), 1);
  // Four lines, of which every SM asks for each sector by itself.
  kernel.streams = {{.tensor = "input",
                     .unique = Bytes{512},
                     .requested = Bytes{sms * 512},
                     .walks = 1,
                     .blocks_of_walk = sms,
                     .readers = sms}};
  CHECK(slice_load(kernel, machine).asked == 0);  // not known
  auto& lookups = kernel.streams[0].lookups;
  lookups = sms * 16;
  const auto load = slice_load(kernel, machine);
  CHECK(load.asked == Approx(sms * 16));
  CHECK(load.busiest == Approx(sms * 16 / 94 + (1.0 / 4 - 1.0 / 47) * sms * 8));  // one line of four
  CHECK(load.request.value() == Approx((Bytes{64} / (*machine.l2_read / 94)).value()));
  // As whole lines, half as many requests.
  lookups /= 2;
  CHECK(slice_load(kernel, machine).longest().value() == Approx(load.longest().value() / 2));
  // Many lines lie evenly.
  kernel.streams[0].unique = Bytes{1e12};
  CHECK(slice_load(kernel, machine).busiest == Approx(sms * 8 / 94).epsilon(0.01));
  // A second block of each SM finds in L1 what the first has asked for.
  kernel.launch.blocks *= 2;
  kernel.streams[0].readers = kernel.streams[0].blocks_of_walk = 2 * sms;
  kernel.streams[0].lookups *= 2;
  CHECK(slice_load(kernel, machine).asked == Approx(sms * 8));
}

TEST_CASE("busiest slice (A22): reads of a trip", "[analytic]") {
  const auto device = round_device();
  const auto machine = machine_of(device);
  Phase phase;
  phase.fetched = Bytes{1000};
  Wave wave;
  wave.blocks = wave.active_sms = 10, wave.blocks_per_sm = 1;
  const auto even = l2_time(phase, wave, {}, machine);
  CHECK(l2_time(phase, wave, {.slice_time = 1e-15}, machine) == even);
  CHECK(l2_time(phase, wave, {.slice_time = 1e-9}, machine).value() == Approx(1e-5));
}
