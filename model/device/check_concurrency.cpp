// Rules on work in flight: rate x latency (Little's law), residency, and two ways to the same value.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/device/check_rules.hpp"
#include "model/device/occupancy.hpp"
#include "model/units/hardware_sizes.hpp"

namespace tilecast::rules {

namespace {

// Effective latency of bandwidth at few bytes in flight against the chase: plain loads agree within about
// 20 % on published devices (the address arithmetic and the loop add to it); a little room beyond that.
constexpr double slope_tolerance = 0.25;
// The same chase, as a bound on every point of the bandwidth curve: bytes in flight cannot return faster than
// an idle memory answers. Latency over TLB states and partitions spreads by about this much.
constexpr double little_tolerance = 0.15;
// Two ways to one value. The wall-clock slope of a chase has the same loads in it; its clock is read beside
// it, not in it.
constexpr double method_tolerance = 0.05;

// Cycles of the memory-bound clock become seconds by that clock where it is known.
std::optional<double> memory_clock(Judge& judge) {
  const auto under_load = judge.device().sm_clock_memory.present()
                              ? std::optional(judge.device().sm_clock_memory.get().value())
                              : std::nullopt;
  return under_load ? under_load : judge.value("sm_clock_hz");
}

std::optional<double> dram_latency_seconds(Judge& judge) {
  const auto cycles = judge.value("dram_latency_cycles"), clock = memory_clock(judge);
  if (!cycles || !clock) return std::nullopt;
  return *cycles / *clock;
}

void expect_agreement(Judge& judge, std::string_view one, std::string_view other) {
  const auto a = judge.value(one), b = judge.value(other);
  if (!a || !b) return;
  judge.judged();
  if (std::abs(*a / *b - 1) > method_tolerance)
    judge.violation(fmt::format("{} = {} and {} = {} differ by {:.1f} %, expected at most {:.0f} %", one, *a,
                                other, *b, 100 * std::abs(*a / *b - 1), 100 * method_tolerance));
}

}  // namespace

// W warps with I independent chains each have 32 W I FMAs in flight; each takes the FMA latency (Little).
// Never more than that; and exactly that while the busiest scheduler has issue slots and lanes to spare.
CheckOutcome fma_rate_is_little(const DeviceProfile& device) {
  Judge judge(device);
  const auto latency = judge.value("fma_latency_cycles"), lanes = judge.value("fp32_lanes_per_sm");
  const Table2D* table = judge.table("fma_rate_over_warps_and_ilp");
  if (!latency || !table) return std::move(judge).outcome();
  constexpr double tolerance = 0.10, busy = 0.5;
  const double schedulers =
      device.schedulers_per_sm.present() ? static_cast<double>(device.schedulers_per_sm.get()) : 4;
  for (std::size_t i = 0; i < table->rows.size(); ++i) {
    for (std::size_t j = 0; j < table->columns.size(); ++j) {
      const double warps = table->rows[i], chains = table->columns[j];
      const double rate = table->y[i * table->columns.size() + j];
      const double expected = warps * chains * threads_per_warp / *latency;
      judge.judged();
      if (rate > expected * (1 + tolerance)) {
        judge.violation(
            fmt::format("{} FMA/cycle with {} warps x {} chains is above {} = warps x chains x 32 "
                        "/ fma_latency_cycles ({})",
                        rate, warps, chains, expected, *latency));
      } else if (lanes &&
                 std::ceil(warps / schedulers) * chains * threads_per_warp / *latency <=
                     busy * *lanes / schedulers &&
                 rate < expected * (1 - tolerance)) {
        judge.violation(
            fmt::format("{} FMA/cycle with {} warps x {} chains is below {} = warps x chains x 32 "
                        "/ fma_latency_cycles ({}), and the lanes are not busy",
                        rate, warps, chains, expected, *latency));
      }
    }
  }
  return std::move(judge).outcome();
}

// At few bytes in flight every access waits alone: bytes in flight / bandwidth is the latency of the chase.
CheckOutcome slope_agrees_with_chase(const DeviceProfile& device) {
  Judge judge(device);
  const auto chase = dram_latency_seconds(judge);
  const Curve* curve = judge.curve("dram_read_over_bytes_in_flight");
  if (!chase || !curve || curve->y.front() <= 0) return std::move(judge).outcome();
  // Only a point on the straight part says a latency: below a quarter of the plateau.
  const double plateau = *std::ranges::max_element(curve->y);
  if (curve->y.front() > 0.25 * plateau) return std::move(judge).outcome();
  judge.judged();
  const double effective = curve->x.front() / curve->y.front();
  const double ratio = effective / *chase;
  if (std::abs(ratio - 1) > slope_tolerance)
    judge.violation(
        fmt::format("{} bytes in flight at {} bytes/s mean a latency of {:.4g} s; the chase says "
                    "{:.4g} s (ratio {:.2f}, expected within {:.0f} %)",
                    curve->x.front(), curve->y.front(), effective, *chase, ratio, 100 * slope_tolerance));
  return std::move(judge).outcome();
}

// Little's law with the idle latency, as a bound: load only adds to it. Every mechanism has its own curve.
CheckOutcome idle_little(const DeviceProfile& device) {
  Judge judge(device);
  const auto chase = dram_latency_seconds(judge);
  judge.curve("dram_read_over_bytes_in_flight");
  if (!chase) return std::move(judge).outcome();
  for (const auto& row : curve_rows()) {
    const Curve& curve = device.*row.member;
    if (!row.key.starts_with("dram_read") || !row.key.ends_with("_over_bytes_in_flight")) continue;
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      judge.judged();
      const double needed = curve.y[i] * *chase;
      if (needed > curve.x[i] * (1 + little_tolerance))
        judge.violation(
            fmt::format("{}: {} bytes/s x {:.4g} s of idle latency need {:.6g} bytes in flight; the "
                        "curve has {}",
                        row.key, curve.y[i], *chase, needed, curve.x[i]));
    }
  }
  return std::move(judge).outcome();
}

// Little's law under load. The loaded chase waits in the same queues as the stream, so the stream cannot have
// fewer bytes in flight than its bandwidth times that latency. The law is one of means; a median stands in
// where there is no mean.
CheckOutcome loaded_little(const DeviceProfile& device) {
  Judge judge(device);
  const Curve* loaded = judge.curve("dram_latency_mean_over_load");
  if (!loaded) loaded = judge.curve("dram_latency_over_load");
  const Curve* curve = judge.curve("dram_read_over_bytes_in_flight");
  const auto clock = memory_clock(judge);
  if (!loaded || !curve || !clock) return std::move(judge).outcome();
  for (std::size_t i = 0; i < curve->x.size(); ++i) {
    // Only where the loaded chase was measured, and below 95 % of its last load: beyond that a little more
    // bandwidth means a lot more latency, and the two curves' noise decides.
    if (curve->y[i] < loaded->x.front() || curve->y[i] > 0.95 * loaded->x.back()) continue;
    judge.judged();
    const double latency = interpolate(*loaded, curve->y[i]) / *clock;
    if (curve->y[i] * latency > curve->x[i] * (1 + slope_tolerance))
      judge.violation(
          fmt::format("{} bytes/s x {:.4g} s of latency under that load need {:.6g} bytes in "
                      "flight; the curve has {}",
                      curve->y[i], latency, curve->y[i] * latency, curve->x[i]));
  }
  return std::move(judge).outcome();
}

// Latency under load begins at the idle latency and has its quantiles in order.
CheckOutcome loaded_latency_starts_idle(const DeviceProfile& device) {
  Judge judge(device);
  for (const std::string memory : {"dram", "l2"}) {
    const Curve* median = judge.curve(memory + "_latency_over_load");
    const auto idle = judge.value(memory + "_latency_cycles");
    if (!median) continue;
    if (idle) {
      judge.judged();
      const double ratio = median->y.front() / *idle;
      if (std::abs(ratio - 1) > slope_tolerance)
        judge.violation(
            fmt::format("{0}_latency_over_load begins with {1} cycles, {0}_latency_cycles = {2} (ratio "
                        "{3:.2f}, expected within {4:.0f} %)",
                        memory, median->y.front(), *idle, ratio, 100 * slope_tolerance));
    }
    const auto below = [&](const std::string& low, const std::string& high) {
      const Curve *a = judge.curve(low), *b = judge.curve(high);
      if (!a || !b || a->x != b->x) return;
      for (std::size_t i = 0; i < a->x.size(); ++i) {
        judge.judged();
        if (a->y[i] > b->y[i])
          judge.violation(
              fmt::format("{} = {} is above {} = {} at {} bytes/s", low, a->y[i], high, b->y[i], a->x[i]));
      }
    };
    below(memory + "_latency_p10_over_load", memory + "_latency_over_load");
    below(memory + "_latency_over_load", memory + "_latency_p90_over_load");
  }
  return std::move(judge).outcome();
}

// FMAs between load and use that hide an idle device's latency: latency x lanes, whichever way it is
// measured.
CheckOutcome n_fma_is_latency_times_lanes(const DeviceProfile& device) {
  Judge judge(device);
  const auto measured = judge.value("n_fma_idle_fmas"), latency = judge.value("dram_latency_cycles");
  const auto rate = judge.value("fma_rate_per_cycle");
  if (!measured || !latency || !rate) return std::move(judge).outcome();
  constexpr double tolerance =
      0.25;  // 15 % between good measurements, and the address arithmetic of the load
  judge.judged();
  const double derived = *latency * *rate;
  if (std::abs(*measured / derived - 1) > tolerance)
    judge.violation(
        fmt::format("n_fma_idle_fmas = {}, but dram_latency_cycles x fma_rate_per_cycle = {:.6g} (ratio "
                    "{:.2f}, expected within {:.0f} %)",
                    *measured, derived, *measured / derived, 100 * tolerance));
  return std::move(judge).outcome();
}

// V_s at 95 % cannot be smaller than what 95 % of the plateau needs at the idle latency.
CheckOutcome v_s_above_little(const DeviceProfile& device) {
  Judge judge(device);
  const auto chase = dram_latency_seconds(judge);
  const auto plateau = judge.value("dram_read_bytes_per_s");
  const auto v95 = judge.value("v_s_95_bytes");
  if (chase && plateau && v95) {
    judge.judged();
    const double least = 0.95 * *plateau * *chase;
    if (*v95 * (1 + little_tolerance) < least)
      judge.violation(
          fmt::format("v_s_95_bytes = {} is below Little's {:.6g} = 0.95 x dram_read_bytes_per_s x "
                      "latency",
                      *v95, least));
  }
  judge.expect_less("v_s_90_bytes", "v_s_95_bytes", false);
  judge.expect_less("v_s_95_bytes", "v_s_99_bytes", false);
  return std::move(judge).outcome();
}

// A curve that still rises says that too little was in flight; a plateau that the curve has not is another
// measurement or another unit (bytes / 1024^3 taken for GB/s is 7 % off).
CheckOutcome plateau_is_reached(const DeviceProfile& device) {
  Judge judge(device);
  const Curve* curve = judge.curve("dram_read_over_bytes_in_flight");
  const auto read = judge.value("dram_read_bytes_per_s");
  if (!curve) return std::move(judge).outcome();
  constexpr double rise = 0.10, tolerance = 0.05;
  const double top = *std::ranges::max_element(curve->y), end = curve->x.back();
  if (curve->x.front() <= end / 2) {
    judge.judged();
    const double half = interpolate(*curve, end / 2);
    if (top > half * (1 + rise))
      judge.violation(
          fmt::format("dram_read_over_bytes_in_flight still rises by {:.0f} % over the last doubling to {} "
                      "bytes in flight (too little in flight?)",
                      100 * (top / half - 1), end));
  }
  if (read) {
    judge.judged();
    if (std::abs(*read / top - 1) > tolerance)
      judge.violation(fmt::format("dram_read_bytes_per_s = {}, but its curve reaches {} ({:+.1f} %)", *read,
                                  top, 100 * (*read / top - 1)));
  }
  return std::move(judge).outcome();
}

// The occupancy rule with the profile's own limits and units against blocks counted on the GPU.
CheckOutcome residency_is_occupancy(const DeviceProfile& device) {
  Judge judge(device);
  bool limits = true;
  for (const std::string_view key :
       {"max_threads_per_sm", "max_blocks_per_sm", "registers_per_sm", "register_allocation_unit",
        "shared_per_sm_bytes", "shared_reserved_per_block_bytes", "shared_allocation_unit_bytes", "sm_count",
        "max_threads_per_block", "shared_per_block_bytes", "schedulers_per_sm", "max_registers_per_thread"})
    limits = judge.value(key).has_value() && limits;
  const auto compare = [&](std::string_view key, auto&& shape_of, std::string_view what) {
    const Table2D* table = judge.table(key);
    if (!table || !limits) return;
    for (std::size_t i = 0; i < table->rows.size(); ++i) {
      for (std::size_t j = 0; j < table->columns.size(); ++j) {
        judge.judged();
        const double counted = table->y[i * table->columns.size() + j];
        const auto expected = occupancy(shape_of(table->rows[i], table->columns[j]), device);
        if (counted != static_cast<double>(expected.blocks_per_sm))
          judge.violation(fmt::format(
              "{} blocks of {} threads with {} {} were counted on one SM; the "
              "occupancy rule says {} (limited by {})",
              counted, table->rows[i], table->columns[j], what, expected.blocks_per_sm, expected.limiter));
      }
    }
  };
  const auto shape = [](double threads) {
    LaunchShape launch;
    launch.threads = static_cast<std::int64_t>(threads);
    launch.blocks = 1;
    // The counting kernel's registers never limit the first table: it is compiled for the most threads.
    launch.registers = 32;
    return launch;
  };
  compare(
      "resident_blocks_over_threads_and_shared",
      [&](double threads, double bytes) {
        LaunchShape launch = shape(threads);
        launch.shared = Bytes{bytes};
        return launch;
      },
      "bytes of shared memory");
  compare(
      "resident_blocks_over_threads_and_registers",
      [&](double threads, double registers) {
        LaunchShape launch = shape(threads);
        launch.registers = static_cast<std::int64_t>(registers);
        return launch;
      },
      "registers a thread");
  return std::move(judge).outcome();
}

// Averages may lie below what an SM takes, by the time that it waits for blocks, but not above.
CheckOutcome clusters_fit(const DeviceProfile& device) {
  Judge judge(device);
  constexpr double noise = 1.01;
  const auto sms = judge.value("sm_count"), blocks = judge.value("max_blocks_per_sm"),
             threads = judge.value("max_threads_per_sm");
  if (const Curve* reached = judge.curve("cluster_sms_over_blocks"); reached && sms) {
    for (std::size_t i = 0; i < reached->x.size(); ++i) {
      judge.judged();
      if (reached->y[i] > *sms)
        judge.violation(
            fmt::format("clusters of {} blocks, one an SM, are said to reach {} SMs; the GPU has {}",
                        reached->x[i], reached->y[i], *sms));
    }
  }
  if (const Table2D* room = judge.table("cluster_blocks_over_cluster_and_fit"); room && sms) {
    for (std::size_t i = 0; i < room->y.size(); ++i) {
      judge.judged();
      const double fit = room->columns[i % room->columns.size()],
                   cluster = room->rows[i / room->columns.size()];
      if (room->y[i] > *sms * fit)
        judge.violation(
            fmt::format("{} blocks in clusters of {} are said to be on the GPU at once where {} fit on "
                        "one of its {} SMs",
                        room->y[i], cluster, fit, *sms));
    }
  }
  const Table2D* resident = judge.table("resident_blocks_over_cluster_and_threads");
  for (std::size_t i = 0; resident && blocks && threads && i < resident->y.size(); ++i) {
    judge.judged();
    const double of_threads = resident->columns[i % resident->columns.size()];
    const double most = std::min(*blocks, std::floor(*threads / of_threads));
    if (resident->y[i] > most * noise)
      judge.violation(fmt::format("{} blocks of {} threads on an SM on average, clusters of {}; it takes {}",
                                  resident->y[i], of_threads, resident->rows[i / resident->columns.size()],
                                  most));
  }
  return std::move(judge).outcome();
}

CheckOutcome dram_latency_methods(const DeviceProfile& device) {
  Judge judge(device);
  expect_agreement(judge, "dram_latency_cycles", "dram_latency_wall_cycles");
  return std::move(judge).outcome();
}

CheckOutcome fma_rate_methods(const DeviceProfile& device) {
  Judge judge(device);
  expect_agreement(judge, "fma_rate_per_cycle", "fma_rate_wall_per_cycle");
  return std::move(judge).outcome();
}

}  // namespace tilecast::rules
