#pragma once
// The probes' functions, one file each; probes.cpp lists them with what they answer.

#include "microbench/probe.hpp"

namespace tilecast {

ProbeResult probe_limits(const ProbeContext&);
ProbeResult probe_clock(const ProbeContext&);
ProbeResult probe_latency(const ProbeContext&);
ProbeResult probe_l2_map(const ProbeContext&);
ProbeResult probe_tlb(const ProbeContext&);
ProbeResult probe_loaded_latency(const ProbeContext&);
ProbeResult probe_cluster(const ProbeContext&);
ProbeResult probe_cluster_dispatch(const ProbeContext&);
ProbeResult probe_first_access(const ProbeContext&);
ProbeResult probe_first_pass(const ProbeContext&);
ProbeResult probe_store_pieces(const ProbeContext&);
ProbeResult probe_pipeline(const ProbeContext&);
ProbeResult probe_residency(const ProbeContext&);
ProbeResult probe_second_methods(const ProbeContext&);
ProbeResult probe_shared(const ProbeContext&);
ProbeResult probe_fma(const ProbeContext&);
ProbeResult probe_dram_bandwidth(const ProbeContext&);
ProbeResult probe_l2_bandwidth(const ProbeContext&);
ProbeResult probe_l2_capacity(const ProbeContext&);
ProbeResult probe_partial_writes(const ProbeContext&);
ProbeResult probe_atomics(const ProbeContext&);
ProbeResult probe_launch(const ProbeContext&);
ProbeResult probe_barrier(const ProbeContext&);
ProbeResult probe_n_fma(const ProbeContext&);
ProbeResult probe_fma_ports(const ProbeContext&);
ProbeResult probe_fetch(const ProbeContext&);
ProbeResult probe_shared_access(const ProbeContext&);
ProbeResult probe_issue(const ProbeContext&);
ProbeResult probe_copies(const ProbeContext&);

}  // namespace tilecast
