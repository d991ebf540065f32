#include "model/device/parameters.hpp"

#include <array>
#include <type_traits>

namespace tilecast {

namespace {

template <class T>
double as_double(const T& value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<double>(value);
  } else {
    return value.value();
  }
}

template <class Member>
struct ValueOf;
template <class T>
struct ValueOf<Parameter<T> DeviceProfile::*> {
  using type = T;
};

// One row of the table; `Member` carries the type, the accessors hide it.
template <auto Member>
constexpr ParameterRow row(std::string_view key, std::string_view unit, Presence presence, double minimum,
                           double maximum, std::string_view probe, std::string_view meaning) {
  using T = typename ValueOf<decltype(Member)>::type;
  return {key,
          unit,
          presence,
          minimum,
          maximum,
          probe,
          meaning,
          std::is_integral_v<T>,
          [](const DeviceProfile& device) -> std::optional<double> {
            const auto& parameter = device.*Member;
            if (!parameter.present()) return std::nullopt;
            return as_double(parameter.get());
          },
          [](DeviceProfile& device, double value, ParameterInfo info) {
            (device.*Member).set(static_cast<T>(value), std::move(info));
          },
          [](const DeviceProfile& device) -> const ParameterInfo& { return (device.*Member).info; },
          [](DeviceProfile& device, std::string_view name, std::string_view by) {
            (device.*Member).name(name, by);
          }};
}

using D = DeviceProfile;
constexpr Presence required = Presence::required;
constexpr Presence optional = Presence::optional;

// The ranges are wide on purpose: they catch a wrong unit (MHz for Hz, KiB for bytes), not an unusual GPU.
// clang-format off
constexpr std::array parameters{
    row<&D::sm_count>("sm_count", "count", required, 1, 1024, "", "streaming multiprocessors"),
    row<&D::fp32_lanes_per_sm>("fp32_lanes_per_sm", "count", required, 8, 1024, "", "fp32 lanes of one SM"),
    row<&D::schedulers_per_sm>("schedulers_per_sm", "count", required, 1, 16, "", "sub-cores of one SM, each with a scheduler"),
    row<&D::max_threads_per_sm>("max_threads_per_sm", "count", required, 32, 8192, "", "threads resident on one SM"),
    row<&D::max_threads_per_block>("max_threads_per_block", "count", required, 32, 8192, "", "threads of one block"),
    row<&D::max_blocks_per_sm>("max_blocks_per_sm", "count", required, 1, 128, "", "blocks resident on one SM"),
    row<&D::registers_per_sm>("registers_per_sm", "count", required, 8192, 1 << 20, "", "32-bit registers of one SM"),
    row<&D::max_registers_per_thread>("max_registers_per_thread", "count", required, 32, 1024, "", "registers that one thread may have"),
    row<&D::register_allocation_unit>("register_allocation_unit", "count", required, 1, 4096, "", "registers are granted to a warp in this unit"),
    row<&D::shared_per_sm>("shared_per_sm_bytes", "bytes", required, 8192, 1 << 22, "", "shared memory of one SM"),
    row<&D::shared_per_block>("shared_per_block_bytes", "bytes", required, 8192, 1 << 22, "", "shared memory that one block may ask for (opt-in maximum)"),
    row<&D::shared_reserved_per_block>("shared_reserved_per_block_bytes", "bytes", required, 0, 65536, "", "shared memory that the system takes in each block"),
    row<&D::shared_allocation_unit>("shared_allocation_unit_bytes", "bytes", required, 1, 65536, "", "shared memory is granted in this unit"),
    row<&D::l2_size>("l2_size_bytes", "bytes", required, 65536, 1e10, "", "L2 cache, whole device"),
    row<&D::dram_size>("dram_size_bytes", "bytes", required, 1e8, 1e13, "", "device memory"),

    row<&D::base_clock>("base_clock_hz", "Hz", optional, 1e8, 1e10, "", "guaranteed SM clock"),
    row<&D::boost_clock>("boost_clock_hz", "Hz", optional, 1e8, 1e10, "", "highest advertised SM clock"),
    row<&D::sm_clock>("sm_clock_hz", "Hz", required, 1e8, 1e10, "clock", "SM clock under sustained FMA load; cycles become seconds by it"),
    row<&D::sm_clock_memory>("sm_clock_memory_hz", "Hz", optional, 1e8, 1e10, "clock", "SM clock under sustained DRAM load"),

    row<&D::shared_latency>("shared_latency_cycles", "cycles", optional, 1, 1e3, "shared", "dependent shared-memory load"),
    row<&D::l1_latency>("l1_latency_cycles", "cycles", optional, 1, 1e3, "latency", "dependent load, L1 hit"),
    row<&D::l2_latency>("l2_latency_cycles", "cycles", optional, 10, 1e4, "l2_map", "dependent load, L2 hit (near partition, or median over SMs and slices)"),
    row<&D::l2_far_latency>("l2_far_latency_cycles", "cycles", optional, 10, 1e4, "l2_map", "dependent load, L2 hit in the far partition"),
    row<&D::dram_latency>("dram_latency_cycles", "cycles", optional, 10, 1e4, "latency", "dependent load from DRAM, idle GPU"),
    row<&D::dram_latency_tlb_hit>("dram_latency_tlb_hit_cycles", "cycles", optional, 10, 1e4, "tlb", "dependent load from DRAM within a few pages"),
    row<&D::dram_latency_tlb_miss>("dram_latency_tlb_miss_cycles", "cycles", optional, 10, 1e5, "tlb", "dependent load from DRAM, each in another page of the largest span"),
    row<&D::dram_loaded_latency>("dram_loaded_latency_cycles", "cycles", optional, 10, 1e5, "loaded_latency", "dependent load from DRAM while others stream at 95 % of their highest bandwidth"),
    row<&D::l2_loaded_latency>("l2_loaded_latency_cycles", "cycles", optional, 10, 1e5, "loaded_latency", "L2 hit while others stream from L2 at 95 % of their highest bandwidth"),
    row<&D::cluster_shared_latency>("cluster_shared_latency_cycles", "cycles", optional, 10, 1e4, "cluster", "dependent load from the shared memory of another block of the cluster"),
    row<&D::dram_latency_wall>("dram_latency_wall_cycles", "cycles", optional, 10, 1e4, "second_methods", "dram_latency_cycles by another method: wall-clock slope of whole kernels"),
    row<&D::fma_latency>("fma_latency_cycles", "cycles", optional, 1, 100, "fma", "dependent fp32 fused multiply-add"),

    row<&D::dram_peak>("dram_peak_bytes_per_s", "bytes/s", required, 1e9, 1e14, "", "memory clock x bus width"),
    row<&D::dram_read>("dram_read_bytes_per_s", "bytes/s", optional, 1e9, 1e14, "dram_bandwidth", "plateau of reading DRAM"),
    row<&D::dram_write>("dram_write_bytes_per_s", "bytes/s", optional, 1e9, 1e14, "dram_bandwidth", "plateau of writing DRAM"),
    row<&D::dram_copy>("dram_copy_bytes_per_s", "bytes/s", optional, 1e9, 1e14, "dram_bandwidth", "copying DRAM to DRAM, bytes read + written"),
    row<&D::l2_read>("l2_read_bytes_per_s", "bytes/s", optional, 1e9, 1e15, "l2_bandwidth", "reading L2, whole device"),
    row<&D::l2_write>("l2_write_bytes_per_s", "bytes/s", optional, 1e9, 1e15, "l2_bandwidth", "writing L2, whole device"),
    row<&D::shared_read>("shared_read_bytes_per_cycle", "bytes/cycle", optional, 1, 4096, "shared", "reading shared memory, one SM"),
    row<&D::fma_rate>("fma_rate_per_cycle", "FMA/cycle", optional, 1, 1024, "fma", "fp32 FMAs per cycle and SM, best over warps x ILP"),
    row<&D::fma_rate_wall>("fma_rate_wall_per_cycle", "FMA/cycle", optional, 1, 1024, "second_methods", "fma_rate_per_cycle by another method: wall-clock slope of whole kernels"),

    row<&D::launch_stream>("launch_stream_s", "s", optional, 1e-8, 1e-3, "launch", "interval between empty kernels launched back to back in a stream"),
    row<&D::launch_graph>("launch_graph_s", "s", optional, 1e-8, 1e-3, "launch", "interval between empty kernels, nodes of a replayed CUDA graph"),
    row<&D::launch_grid>("launch_grid_s", "s", optional, 1e-8, 1e-3, "launch", "interval between graph nodes of one block of 256 threads on every SM that read their parameters"),
    row<&D::block_dispatch>("block_dispatch_cycles", "cycles", optional, 0, 1e5, "launch", "each further block of 256 threads on every SM, in launch_over_blocks_and_threads"),
    row<&D::store_drain>("store_drain_s", "s", optional, 0, 1e-3, "launch", "what one store a thread adds to launch_grid_s"),
    row<&D::barrier>("barrier_cycles", "cycles", optional, 1, 1e4, "barrier", "__syncthreads of 8 warps"),

    row<&D::memory_queue_entries>("memory_queue_entries", "count", optional, 1, 16, "", "memory instructions that one scheduler holds until the SM's pipe takes them"),
    row<&D::memory_register>("memory_register_cycles", "cycles", optional, 1, 100, "", "between the vector registers that a scheduler's memory instructions read"),
    row<&D::memory_accept>("memory_accept_cycles", "cycles", optional, 1, 100, "", "between two memory instructions of one SM without bank conflicts, 32 bits a lane"),
    row<&D::shared_return>("shared_return_bytes_per_cycle", "bytes/cycle", optional, 1, 4096, "", "results of shared loads to the registers of one SM, many lanes reading the same words"),
    row<&D::wide_return_hold>("wide_return_hold_cycles", "cycles", optional, 0, 100, "", "for which the result of a 128-bit shared load that comes two registers a cycle stops its scheduler"),
    row<&D::shared_pass>("shared_pass_cycles", "cycles", optional, 0, 100, "", "that each further wavefront adds to shared_latency_cycles"),
    row<&D::barrier_arrival>("barrier_arrival_cycles", "cycles", optional, 0, 100, "", "between the arrivals of two warps at a barrier"),
    row<&D::branch>("branch_cycles", "cycles", optional, 0, 1000, "", "in which a warp cannot issue after a taken branch, beyond its stall count"),

    row<&D::v_s_95>("v_s_95_bytes", "bytes", optional, 1e3, 1e9, "dram_bandwidth", "bytes in flight, whole device, at 95 % of the read plateau"),
    row<&D::v_s_99>("v_s_99_bytes", "bytes", optional, 1e3, 1e9, "dram_bandwidth", "bytes in flight, whole device, at 99 % of the read plateau"),
};

constexpr std::array curves{
    CurveRow{"latency_over_footprint", "bytes", "cycles", "latency", "dependent load over the footprint of the chase", &D::latency_over_footprint},
    CurveRow{"l2_latency_over_sm", "SM", "cycles", "l2_map", "L2 hit, near partition, by SM", &D::l2_latency_over_sm},
    CurveRow{"l2_far_latency_over_sm", "SM", "cycles", "l2_map", "L2 hit, far partition, by SM", &D::l2_far_latency_over_sm},
    CurveRow{"l2_latency_over_span", "bytes", "cycles", "tlb", "L2 hit over the memory that 4096 lines are spread over", &D::l2_latency_over_span},
    CurveRow{"dram_latency_over_span", "bytes", "cycles", "tlb", "DRAM access over the memory that 4096 lines are spread over", &D::dram_latency_over_span},
    CurveRow{"dram_latency_over_load", "bytes/s", "cycles", "loaded_latency", "median DRAM access while other SMs stream that much", &D::dram_latency_over_load},
    CurveRow{"dram_latency_mean_over_load", "bytes/s", "cycles", "loaded_latency", "its mean: what Little's law needs", &D::dram_latency_mean_over_load},
    CurveRow{"dram_latency_p10_over_load", "bytes/s", "cycles", "loaded_latency", "its 10 % quantile", &D::dram_latency_p10_over_load},
    CurveRow{"dram_latency_p90_over_load", "bytes/s", "cycles", "loaded_latency", "its 90 % quantile", &D::dram_latency_p90_over_load},
    CurveRow{"l2_latency_over_load", "bytes/s", "cycles", "loaded_latency", "median L2 hit while other SMs stream that much from L2", &D::l2_latency_over_load},
    CurveRow{"l2_latency_mean_over_load", "bytes/s", "cycles", "loaded_latency", "its mean: what Little's law needs", &D::l2_latency_mean_over_load},
    CurveRow{"l2_latency_p10_over_load", "bytes/s", "cycles", "loaded_latency", "its 10 % quantile", &D::l2_latency_p10_over_load},
    CurveRow{"l2_latency_p90_over_load", "bytes/s", "cycles", "loaded_latency", "its 90 % quantile", &D::l2_latency_p90_over_load},
    CurveRow{"dram_read_over_bytes_in_flight", "bytes", "bytes/s", "dram_bandwidth", "reading DRAM over bytes in flight, whole device", &D::dram_read_over_bytes_in_flight},
    CurveRow{"dram_write_over_bytes_in_flight", "bytes", "bytes/s", "dram_bandwidth", "writing DRAM over bytes in flight, whole device", &D::dram_write_over_bytes_in_flight},
    CurveRow{"l2_read_over_footprint", "bytes", "bytes/s", "l2_bandwidth", "all SMs reading the same footprint, L1 bypassed", &D::l2_read_over_footprint},
};

constexpr std::array tables{
    TableRow{"l2_latency_over_sm_and_line", "SM", "bytes", "cycles", "l2_map", "L2 hit, near partition, by SM and by the line's place in 2 MiB", &D::l2_latency_over_sm_and_line},
    TableRow{"l2_first_latency_over_sm_and_line", "SM", "bytes", "cycles", "l2_map", "likewise, first load after an SM of the other partition stored the line", &D::l2_first_latency_over_sm_and_line},
    TableRow{"fma_rate_over_warps_and_ilp", "warps/SM", "chains", "FMA/cycle", "fma", "fp32 FMAs per cycle and SM over resident warps and independent chains a thread", &D::fma_rate_over_warps_and_ilp},
    TableRow{"fma_rate_over_register_tile", "filters", "pixels", "FMA/cycle", "fma", "fp32 FMAs per cycle and SM of a thread's register tile, as the compiler allocates it", &D::fma_rate_over_register_tile},
    TableRow{"resident_blocks_over_threads_and_shared", "threads", "bytes", "blocks/SM", "residency", "blocks counted on one SM at once by %smid, over their threads and dynamic shared memory", &D::resident_blocks_over_threads_and_shared},
    TableRow{"resident_blocks_over_threads_and_registers", "threads", "registers", "blocks/SM", "residency", "blocks counted on one SM at once by %smid, over their threads and registers a thread", &D::resident_blocks_over_threads_and_registers},
    TableRow{"launch_over_blocks_and_threads", "blocks/SM", "threads", "s", "launch", "interval between graph nodes that read their parameters, over blocks on every SM and threads of a block", &D::launch_over_blocks_and_threads},
};
// clang-format on

constexpr std::array<std::pair<SourceKind, std::string_view>, 5> kinds{{
    {SourceKind::measured, "measured"},
    {SourceKind::datasheet, "datasheet"},
    {SourceKind::published, "published"},
    {SourceKind::derived, "derived"},
    {SourceKind::assumed, "assumed"},
}};

}  // namespace

DeviceProfile::DeviceProfile() {
  for (const auto& parameter : parameters)
    parameter.name(*this, parameter.key, parameter.probe);
}

std::span<const ParameterRow> parameter_rows() {
  return parameters;
}
std::span<const CurveRow> curve_rows() {
  return curves;
}
std::span<const TableRow> table_rows() {
  return tables;
}

const ParameterRow* find_parameter(std::string_view key) {
  for (const auto& parameter : parameters) {
    if (parameter.key == key) return &parameter;
  }
  return nullptr;
}

std::string_view source_kind_name(SourceKind kind) {
  for (const auto& [value, name] : kinds) {
    if (value == kind) return name;
  }
  return "unknown";
}

std::optional<SourceKind> source_kind_from(std::string_view name) {
  for (const auto& [value, text] : kinds) {
    if (text == name) return value;
  }
  return std::nullopt;
}

std::vector<std::string> source_kind_names() {
  std::vector<std::string> names;
  for (const auto& [value, name] : kinds)
    names.emplace_back(name);
  return names;
}

}  // namespace tilecast
