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
    row<&D::sm_clock_l2>("sm_clock_l2_hz", "Hz", optional, 1e8, 1e10, "clock", "SM clock under sustained L2 load"),
    row<&D::memory_clock>("memory_clock_dram_hz", "Hz", optional, 1e8, 1e11, "clock", "memory clock under DRAM load, by NVML"),
    row<&D::power_idle>("power_idle_w", "W", optional, 0.1, 1e5, "clock", "power before the loads, by NVML"),
    row<&D::power_fma>("power_fma_w", "W", optional, 0.1, 1e5, "clock", "power under FMA load, by NVML"),
    row<&D::power_dram>("power_dram_w", "W", optional, 0.1, 1e5, "clock", "power under DRAM load, by NVML"),
    row<&D::power_l2>("power_l2_w", "W", optional, 0.1, 1e5, "clock", "power under L2 load, by NVML"),
    row<&D::clock_reasons_fma>("clock_event_reasons_fma", "bits", optional, 0, 1e15, "clock", "what held clocks back under FMA load: bits of NVML's clock event reasons"),
    row<&D::clock_reasons_dram>("clock_event_reasons_dram", "bits", optional, 0, 1e15, "clock", "likewise under DRAM load"),
    row<&D::clock_reasons_l2>("clock_event_reasons_l2", "bits", optional, 0, 1e15, "clock", "likewise under L2 load"),

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
    row<&D::launch_first>("launch_first_s", "s", optional, 1e-7, 1, "launch", "first launch after the code was loaded, host to device and back"),
    row<&D::launch_dependent>("launch_dependent_s", "s", optional, 1e-8, 1e-3, "launch", "launch_grid_s with programmatic dependent launch"),
    row<&D::first_access>("first_access_cycles", "cycles", optional, 0, 1e5, "first_access", "what the first global load of a launch takes beyond later ones, nodes of a graph"),

    row<&D::n_fma_idle>("n_fma_idle_fmas", "FMA", optional, 1e2, 1e7, "n_fma", "FMAs of one SM between a load and its use that hide it, idle device"),
    row<&D::n_fma_idle_flops>("n_fma_idle_flops", "flops", optional, 2e2, 2e7, "n_fma", "n_fma_idle_fmas in flops, two a FMA"),
    row<&D::n_fma_loaded>("n_fma_loaded_fmas", "FMA", optional, 1e2, 1e7, "n_fma", "likewise on all SMs, 16 KiB in flight on each"),
    row<&D::n_fma_loaded_flops>("n_fma_loaded_flops", "flops", optional, 2e2, 2e7, "n_fma", "n_fma_loaded_fmas in flops, two a FMA"),

    row<&D::memory_queue_entries>("memory_queue_entries", "count", optional, 1, 64, "pipeline", "memory instructions that one scheduler holds until they go to the SM's queue"),
    row<&D::memory_shared_queue_entries>("memory_shared_queue_entries", "count", optional, 0, 256, "pipeline", "memory instructions that an SM holds for its schedulers together until its pipe takes them"),
    row<&D::memory_register>("memory_register_cycles", "cycles", optional, 1, 100, "pipeline", "between the vector registers that a scheduler's memory instructions read"),
    row<&D::memory_accept>("memory_accept_cycles", "cycles", optional, 0.5, 100, "shared_access", "between two memory instructions of one SM without bank conflicts, 32 bits a lane"),
    row<&D::shared_return>("shared_return_bytes_per_cycle", "bytes/cycle", optional, 1, 4096, "shared_access", "results of shared loads to the registers of one SM, many lanes reading the same words"),
    row<&D::wide_return_hold>("wide_return_hold_cycles", "cycles", optional, 0, 100, "pipeline", "for which the result of a 128-bit shared load that comes two registers a cycle stops its scheduler"),
    row<&D::shared_pass>("shared_pass_cycles", "cycles", optional, 0, 100, "shared_access", "that each further wavefront adds to shared_latency_cycles"),
    row<&D::barrier_arrival>("barrier_arrival_cycles", "cycles", optional, 0, 100, "barrier", "between the arrivals of two warps at a barrier"),
    row<&D::fence>("fence_cycles", "cycles", optional, 1, 1e5, "barrier", "fence of one warp for the whole GPU with nothing under way"),
    row<&D::fence_after_store>("fence_after_store_cycles", "cycles", optional, 1, 1e5, "barrier", "a store of 4 bytes a lane to L2 and the fence behind it"),
    row<&D::branch>("branch_cycles", "cycles", optional, 0, 1000, "fetch", "in which a warp cannot issue after a taken branch, beyond its stall count"),

    row<&D::v_s_95>("v_s_95_bytes", "bytes", optional, 1e3, 1e9, "dram_bandwidth", "bytes in flight, whole device, at 95 % of the read plateau"),
    row<&D::v_s_99>("v_s_99_bytes", "bytes", optional, 1e3, 1e9, "dram_bandwidth", "bytes in flight, whole device, at 99 % of the read plateau"),
    row<&D::v_s_90>("v_s_90_bytes", "bytes", optional, 1e3, 1e9, "dram_bandwidth", "bytes in flight, whole device, at 90 % of the read plateau"),
    row<&D::v_s_little>("v_s_little_bytes", "bytes", optional, 1e3, 1e9, "dram_bandwidth", "read plateau x DRAM latency / SM clock (Little's law)"),
    row<&D::v_s_90_deep>("v_s_90_deep_bytes", "bytes", optional, 1e3, 1e9, "dram_bandwidth", "bytes in flight by eight 16-byte loads a thread, whole device, at 90 % of their plateau"),
    row<&D::v_s_95_deep>("v_s_95_deep_bytes", "bytes", optional, 1e3, 1e9, "dram_bandwidth", "bytes in flight by eight 16-byte loads a thread, whole device, at 95 % of their plateau"),
    row<&D::v_s_99_deep>("v_s_99_deep_bytes", "bytes", optional, 1e3, 1e9, "dram_bandwidth", "bytes in flight by eight 16-byte loads a thread, whole device, at 99 % of their plateau"),
    row<&D::v_s_90_load8>("v_s_90_load8_bytes", "bytes", optional, 1e3, 1e9, "dram_bandwidth", "bytes in flight by 8-byte loads, whole device, at 90 % of their plateau"),
    row<&D::v_s_95_load8>("v_s_95_load8_bytes", "bytes", optional, 1e3, 1e9, "dram_bandwidth", "bytes in flight by 8-byte loads, whole device, at 95 % of their plateau"),
    row<&D::v_s_99_load8>("v_s_99_load8_bytes", "bytes", optional, 1e3, 1e9, "dram_bandwidth", "bytes in flight by 8-byte loads, whole device, at 99 % of their plateau"),
    row<&D::v_s_90_load4>("v_s_90_load4_bytes", "bytes", optional, 1e3, 1e9, "dram_bandwidth", "bytes in flight by 4-byte loads, whole device, at 90 % of their plateau"),
    row<&D::v_s_95_load4>("v_s_95_load4_bytes", "bytes", optional, 1e3, 1e9, "dram_bandwidth", "bytes in flight by 4-byte loads, whole device, at 95 % of their plateau"),
    row<&D::v_s_99_load4>("v_s_99_load4_bytes", "bytes", optional, 1e3, 1e9, "dram_bandwidth", "bytes in flight by 4-byte loads, whole device, at 99 % of their plateau"),
    row<&D::v_s_90_cp_async>("v_s_90_cp_async_bytes", "bytes", optional, 1e3, 1e9, "dram_bandwidth", "bytes in flight by cp.async, whole device, at 90 % of their plateau"),
    row<&D::v_s_95_cp_async>("v_s_95_cp_async_bytes", "bytes", optional, 1e3, 1e9, "dram_bandwidth", "bytes in flight by cp.async, whole device, at 95 % of their plateau"),
    row<&D::v_s_99_cp_async>("v_s_99_cp_async_bytes", "bytes", optional, 1e3, 1e9, "dram_bandwidth", "bytes in flight by cp.async, whole device, at 99 % of their plateau"),
    row<&D::v_s_90_bulk>("v_s_90_bulk_bytes", "bytes", optional, 1e3, 1e9, "dram_bandwidth", "bytes in flight by bulk copies, whole device, at 90 % of their plateau"),
    row<&D::v_s_95_bulk>("v_s_95_bulk_bytes", "bytes", optional, 1e3, 1e9, "dram_bandwidth", "bytes in flight by bulk copies, whole device, at 95 % of their plateau"),
    row<&D::v_s_99_bulk>("v_s_99_bulk_bytes", "bytes", optional, 1e3, 1e9, "dram_bandwidth", "bytes in flight by bulk copies, whole device, at 99 % of their plateau"),

    row<&D::l2_effective>("l2_effective_bytes", "bytes", optional, 1e4, 1e10, "l2_capacity", "footprint of which 95 % is in L2 after repeated reading, each line by one SM"),
    row<&D::l2_effective_shared>("l2_effective_shared_bytes", "bytes", optional, 1e4, 1e10, "l2_capacity", "footprint of which 95 % is in L2 after repeated reading, each line by several SMs"),
    row<&D::partial_sector_write_ratio>("partial_sector_write_ratio", "ratio", optional, 0.1, 100, "partial_writes", "DRAM time of half a sector written alone over that of a whole one"),
    row<&D::write_merge>("write_merge_bytes", "bytes", optional, 1e4, 1e10, "partial_writes", "bytes written in between up to which most halves of a sector merge in L2"),

    row<&D::atomic_latency>("atomic_latency_cycles", "cycles", optional, 10, 1e4, "atomics", "dependent u32 addition in L2 that returns the old value"),
    row<&D::atomic_f32_latency>("atomic_f32_latency_cycles", "cycles", optional, 10, 1e4, "atomics", "dependent f32 addition in L2 that returns the old value"),
    row<&D::red_f32_scattered>("red_f32_scattered_per_cycle", "atomics/cycle", optional, 1e-3, 1e6, "atomics", "f32 additions that return nothing, whole GPU, each thread on a line of its own"),
    row<&D::red_u32_scattered>("red_u32_scattered_per_cycle", "atomics/cycle", optional, 1e-3, 1e6, "atomics", "u32 additions that return nothing, whole GPU, each thread on a line of its own"),
    row<&D::atom_f32_scattered>("atom_f32_scattered_per_cycle", "atomics/cycle", optional, 1e-3, 1e6, "atomics", "f32 additions that return the old value, whole GPU, each thread on a line of its own"),
    row<&D::atom_u32_scattered>("atom_u32_scattered_per_cycle", "atomics/cycle", optional, 1e-3, 1e6, "atomics", "u32 additions that return the old value, whole GPU, each thread on a line of its own"),
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
    CurveRow{"dram_read_deep_over_bytes_in_flight", "bytes", "bytes/s", "dram_bandwidth", "reading DRAM over bytes in flight, whole device, by few warps with eight 16-byte loads a thread", &D::dram_read_deep_over_bytes_in_flight},
    CurveRow{"dram_read_load8_over_bytes_in_flight", "bytes", "bytes/s", "dram_bandwidth", "reading DRAM over bytes in flight, whole device, by 8-byte loads", &D::dram_read_load8_over_bytes_in_flight},
    CurveRow{"dram_read_load4_over_bytes_in_flight", "bytes", "bytes/s", "dram_bandwidth", "reading DRAM over bytes in flight, whole device, by 4-byte loads", &D::dram_read_load4_over_bytes_in_flight},
    CurveRow{"dram_read_cp_async_over_bytes_in_flight", "bytes", "bytes/s", "dram_bandwidth", "reading DRAM over bytes in flight, whole device, by cp.async of 16 bytes", &D::dram_read_cp_async_over_bytes_in_flight},
    CurveRow{"dram_read_bulk_over_bytes_in_flight", "bytes", "bytes/s", "dram_bandwidth", "reading DRAM over bytes in flight, whole device, by bulk copies", &D::dram_read_bulk_over_bytes_in_flight},
    CurveRow{"dram_read_over_active_sms", "SMs", "bytes/s", "dram_bandwidth", "reading DRAM over the number of SMs at work", &D::dram_read_over_active_sms},
    CurveRow{"dram_mixed_over_read_share", "%", "bytes/s", "dram_bandwidth", "bytes read and written over the percentage that is read", &D::dram_mixed_over_read_share},
    CurveRow{"l2_read_over_footprint", "bytes", "bytes/s", "l2_bandwidth", "all SMs reading the same footprint, L1 bypassed", &D::l2_read_over_footprint},
    CurveRow{"l2_read_private_over_footprint", "bytes", "bytes/s", "l2_bandwidth", "each SM reading a part of the footprint of its own, L1 bypassed", &D::l2_read_private_over_footprint},
    CurveRow{"l2_write_over_footprint", "bytes", "bytes/s", "l2_bandwidth", "each SM writing a part of the footprint of its own", &D::l2_write_over_footprint},
    CurveRow{"l2_hit_rate_over_footprint", "bytes", "ratio", "l2_capacity", "share of a footprint that is in L2 after repeated reading, each line by one SM", &D::l2_hit_rate_over_footprint},
    CurveRow{"l2_hit_rate_shared_over_footprint", "bytes", "ratio", "l2_capacity", "share of a footprint that is in L2 after repeated reading, each line by several SMs", &D::l2_hit_rate_shared_over_footprint},
    CurveRow{"round_over_fmas_idle", "FMA", "cycles", "n_fma", "one round of load, FMAs, use, over the FMAs of an SM; one SM, idle device", &D::round_over_fmas_idle},
    CurveRow{"round_over_fmas_loaded", "FMA", "cycles", "n_fma", "likewise, all SMs, 16 KiB in flight on each", &D::round_over_fmas_loaded},
    CurveRow{"fma_rate_over_bank_reads", "reads/FMA", "FMA/cycle", "fma_ports", "fp32 FMAs per cycle and SM over fresh operands of the busier register bank", &D::fma_rate_over_bank_reads},
    CurveRow{"issue_rate_over_imad_share", "share", "instructions/cycle", "issue", "instructions (in lanes) per cycle and SM over the share of IMAD among FFMA", &D::issue_rate_over_imad_share},
    CurveRow{"issue_rate_over_alu_share", "share", "instructions/cycle", "issue", "likewise, LOP3 and SHF in turn", &D::issue_rate_over_alu_share},
    CurveRow{"barrier_over_warps", "warps", "cycles", "barrier", "__syncthreads over the warps of a block", &D::barrier_over_warps},
    CurveRow{"mbarrier_over_warps", "warps", "cycles", "barrier", "arrival at an mbarrier and wait, over the warps of a block", &D::mbarrier_over_warps},
    CurveRow{"shared_latency_over_width", "bytes", "cycles", "shared_access", "dependent shared-memory load of a warp over bytes a lane", &D::shared_latency_over_width},
    CurveRow{"shared_latency_over_wavefronts", "wavefronts", "cycles", "shared_access", "dependent shared-memory load of 4 bytes a lane over lanes in one bank", &D::shared_latency_over_wavefronts},
    CurveRow{"cluster_shared_read_over_blocks", "blocks", "bytes/cycle", "cluster", "one SM reading the shared memory of the next block of its cluster, over the cluster's blocks", &D::cluster_shared_read_over_blocks},
    CurveRow{"cluster_barrier_over_blocks", "blocks", "cycles", "cluster", "barrier of a cluster, release and acquire, 8 warps a block, over its blocks", &D::cluster_barrier_over_blocks},
    CurveRow{"cluster_barrier_relaxed_over_blocks", "blocks", "cycles", "cluster", "likewise without ordering memory", &D::cluster_barrier_relaxed_over_blocks},
    CurveRow{"launch_cluster_over_blocks", "blocks", "s", "launch", "launch_grid_s in clusters of so many blocks", &D::launch_cluster_over_blocks},
    CurveRow{"cluster_sms_over_blocks", "blocks", "SMs", "cluster_dispatch", "SMs that clusters of so many blocks, one block a SM, reach at once", &D::cluster_sms_over_blocks},
    CurveRow{"launch_over_loads", "loads", "s", "first_access", "interval between graph nodes of so many dependent loads from L2, one warp on every SM", &D::launch_over_loads},
    CurveRow{"l2_read_over_active_sms", "SMs", "bytes/s", "l2_bandwidth", "reading L2 over the number of SMs at work, each a part of its own", &D::l2_read_over_active_sms},
    CurveRow{"l1_load_cycles_over_width", "bytes", "cycles", "copies", "an SM's cycles for one warp's global load that hits L1, over bytes a lane", &D::l1_load_cycles_over_width},
    CurveRow{"global_store_cycles_over_width", "bytes", "cycles", "copies", "likewise, global store that stays in L2", &D::global_store_cycles_over_width},
    CurveRow{"async_copy_cycles_over_width", "bytes", "cycles", "copies", "likewise, cp.async", &D::async_copy_cycles_over_width},
    CurveRow{"bulk_copy_latency_over_bytes", "bytes", "cycles", "copies", "one cp.async.bulk from L2 to shared memory, from issue to the end of its wait", &D::bulk_copy_latency_over_bytes},
    CurveRow{"bulk_copy_cycles_over_bytes", "bytes", "cycles", "copies", "cp.async.bulk from L2 to shared memory, four at a time, each", &D::bulk_copy_cycles_over_bytes},
};

constexpr std::array tables{
    TableRow{"l2_latency_over_sm_and_line", "SM", "bytes", "cycles", "l2_map", "L2 hit, near partition, by SM and by the line's place in 2 MiB", &D::l2_latency_over_sm_and_line},
    TableRow{"l2_first_latency_over_sm_and_line", "SM", "bytes", "cycles", "l2_map", "likewise, first load after an SM of the other partition stored the line", &D::l2_first_latency_over_sm_and_line},
    TableRow{"fma_rate_over_warps_and_ilp", "warps/SM", "chains", "FMA/cycle", "fma", "fp32 FMAs per cycle and SM over resident warps and independent chains a thread", &D::fma_rate_over_warps_and_ilp},
    TableRow{"fma_rate_over_register_tile", "filters", "pixels", "FMA/cycle", "fma", "fp32 FMAs per cycle and SM of a thread's register tile, as the compiler allocates it", &D::fma_rate_over_register_tile},
    TableRow{"resident_blocks_over_threads_and_shared", "threads", "bytes", "blocks/SM", "residency", "blocks counted on one SM at once by %smid, over their threads and dynamic shared memory", &D::resident_blocks_over_threads_and_shared},
    TableRow{"resident_blocks_over_threads_and_registers", "threads", "registers", "blocks/SM", "residency", "blocks counted on one SM at once by %smid, over their threads and registers a thread", &D::resident_blocks_over_threads_and_registers},
    TableRow{"dram_write_over_piece_and_distance", "bytes", "bytes", "bytes/s", "partial_writes", "writing DRAM in pieces, over their size and over the bytes written between neighbouring pieces", &D::dram_write_over_piece_and_distance},
    TableRow{"dram_write_unaligned_over_piece_and_distance", "bytes", "bytes", "bytes/s", "partial_writes", "the same for pieces that begin 8 bytes behind a sector's begin", &D::dram_write_unaligned_over_piece_and_distance},
    TableRow{"red_f32_over_words_and_lines", "words", "lines", "atomics/cycle", "atomics", "f32 additions that return nothing, whole GPU, over the words of a line and the lines they go to", &D::red_f32_over_words_and_lines},
    TableRow{"red_u32_over_words_and_lines", "words", "lines", "atomics/cycle", "atomics", "u32 additions that return nothing, whole GPU, over the words of a line and the lines they go to", &D::red_u32_over_words_and_lines},
    TableRow{"atom_f32_over_words_and_lines", "words", "lines", "atomics/cycle", "atomics", "f32 additions that return the old value, whole GPU, over the words of a line and the lines they go to", &D::atom_f32_over_words_and_lines},
    TableRow{"atom_u32_over_words_and_lines", "words", "lines", "atomics/cycle", "atomics", "u32 additions that return the old value, whole GPU, over the words of a line and the lines they go to", &D::atom_u32_over_words_and_lines},
    TableRow{"fma_rate_over_outer_product", "m", "n", "FMA/cycle", "fma_ports", "fp32 FMAs per cycle and SM of a thread's m x n outer product, no loads", &D::fma_rate_over_outer_product},
    TableRow{"fma_rate_over_outer_product_loads", "m", "n", "FMA/cycle", "fma_ports", "likewise with the shared-memory loads of its operands", &D::fma_rate_over_outer_product_loads},
    TableRow{"operand_cycles_over_outer_product", "m", "n", "cycles", "fma_ports", "cycles a FMA that the operand reads of fma_rate_over_outer_product's machine code need", &D::operand_cycles_over_outer_product},
    TableRow{"fma_rate_over_loop_length", "FMA", "warps/SM", "FMA/cycle", "fetch", "fp32 FMAs per cycle and SM over the FMAs in the loop and resident warps", &D::fma_rate_over_loop_length},
    TableRow{"shared_load_cycles_over_width_and_stride", "bytes", "vectors", "cycles", "shared_access", "an SM's cycles for one warp's shared-memory load over bytes a lane and distance of neighbouring lanes in vectors of that size", &D::shared_load_cycles_over_width_and_stride},
    TableRow{"shared_store_cycles_over_width_and_stride", "bytes", "vectors", "cycles", "shared_access", "likewise, store", &D::shared_store_cycles_over_width_and_stride},
    TableRow{"shared_load_cycles_over_width_and_vectors", "bytes", "vectors", "cycles", "shared_access", "likewise, load, over different vectors among the warp's lanes, neighbours sharing one", &D::shared_load_cycles_over_width_and_vectors},
    TableRow{"shared_load_cycles_over_width_and_vectors_apart", "bytes", "vectors", "cycles", "shared_access", "likewise, every so-manieth lane sharing one (lane modulo their number)", &D::shared_load_cycles_over_width_and_vectors_apart},
    TableRow{"launch_over_blocks_and_threads", "blocks/SM", "threads", "s", "launch", "interval between graph nodes that read their parameters, over blocks on every SM and threads of a block", &D::launch_over_blocks_and_threads},
    TableRow{"block_launch_over_cluster_and_threads", "blocks", "threads", "s", "cluster_dispatch", "time a block, whole GPU, of blocks that leave at once, many more than fit, over the blocks of a cluster and threads of a block", &D::block_launch_over_cluster_and_threads},
    TableRow{"block_launch_shared_over_cluster_and_threads", "blocks", "threads", "s", "cluster_dispatch", "likewise with 64 KiB of shared memory a block", &D::block_launch_shared_over_cluster_and_threads},
    TableRow{"resident_blocks_over_cluster_and_threads", "blocks", "threads", "blocks/SM", "cluster_dispatch", "blocks that an SM holds on average when each stays for 20,000 cycles and many more wait", &D::resident_blocks_over_cluster_and_threads},
    TableRow{"cluster_blocks_over_cluster_and_fit", "blocks", "blocks/SM", "blocks", "cluster_dispatch", "blocks in clusters of so many that the whole GPU holds at once, over the blocks that fit on one SM", &D::cluster_blocks_over_cluster_and_fit},
    TableRow{"store_rate_over_piece_and_sms", "bytes", "SMs", "bytes/cycle", "store_pieces", "bytes a cycle and SM of stores over the bytes that each writes in a row and the SMs at it; gaps as wide, at least the rest of a sector", &D::store_rate_over_piece_and_sms},
    TableRow{"store_rate_filled_by_block_over_piece_and_sms", "bytes", "SMs", "bytes/cycle", "store_pieces", "likewise, another warp of the block fills the gaps soon after", &D::store_rate_filled_by_block_over_piece_and_sms},
    TableRow{"store_rate_filled_by_warp_over_piece_and_sms", "bytes", "SMs", "bytes/cycle", "store_pieces", "likewise, the warp's next store fills the gaps", &D::store_rate_filled_by_warp_over_piece_and_sms},
    TableRow{"first_pass_over_length_and_warps", "FMA", "warps/SM", "cycles", "first_pass", "cycles that so many FFMAs in a row, each done once, add to a launch, their issue included, graph nodes of one kernel", &D::first_pass_over_length_and_warps},
    TableRow{"first_pass_behind_load_over_length_and_warps", "FMA", "warps/SM", "cycles", "first_pass", "likewise where all of them wait for a global load at the kernel's start, added to that load", &D::first_pass_behind_load_over_length_and_warps},
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
