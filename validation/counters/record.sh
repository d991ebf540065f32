#!/usr/bin/env bash
# What the profiler counts of our kernels on this GPU. Needs ncu with access to the counters.
# - counters.csv: instructions and wavefronts of each case of cases.csv, a row a launch (for compare_counts);
# - warm_*.csv: bytes and hits of L1, L2 and DRAM, duration and issue slots of launches of cases.csv, traffic_cases.csv
#   and slope_cases.csv that find in the caches what those before left (for traffic_rows.py);
# - *_places.csv: bytes of DRAM of eight launches right behind each other, at several places in memory (likewise).
# Usage: record.sh LAUNCH_CASES OUT_FOLDER   (LAUNCH_CASES: the program of that name in the build folder)
set -euo pipefail
program=$1
out=$2
mkdir -p "$out"
# Only what this profiler knows for this GPU: an unknown name would stop it.
ncu --query-metrics | awk '{print $1}' | sort -u >"$out/metrics.txt"
known() { for m in $1; do if grep -qx "$m" "$out/metrics.txt"; then echo "$m.sum"; fi; done | paste -sd,; }
cases=$(dirname "$0")

wanted="
smsp__inst_executed
smsp__thread_inst_executed
smsp__thread_inst_executed_pred_on
smsp__sass_inst_executed
smsp__sass_thread_inst_executed_op_ffma_pred_on
smsp__sass_thread_inst_executed_op_fadd_pred_on
smsp__sass_thread_inst_executed_op_fmul_pred_on
smsp__sass_thread_inst_executed_op_integer_pred_on
smsp__sass_thread_inst_executed_op_control_pred_on
smsp__sass_thread_inst_executed_op_memory_pred_on
smsp__sass_inst_executed_op_shared_ld
smsp__sass_inst_executed_op_shared_st
smsp__sass_inst_executed_op_global_ld
smsp__sass_inst_executed_op_global_st
smsp__sass_inst_executed_op_ldgsts
smsp__sass_inst_executed_op_local_ld
smsp__sass_inst_executed_op_local_st
smsp__inst_executed_op_shared_ld
smsp__inst_executed_op_shared_st
smsp__inst_executed_op_global_ld
smsp__inst_executed_op_global_st
smsp__inst_executed_op_ldgsts
smsp__inst_executed_op_branch
smsp__sass_inst_executed_op_branch
smsp__sass_thread_inst_executed_op_conversion_pred_on
smsp__sass_thread_inst_executed_op_bit_pred_on
smsp__sass_thread_inst_executed_op_misc_pred_on
smsp__sass_thread_inst_executed_op_uniform_pred_on
smsp__sass_thread_inst_executed_op_inter_thread_communication_pred_on
smsp__inst_executed_pipe_fma
smsp__inst_executed_pipe_fmaheavy
smsp__inst_executed_pipe_fmalite
smsp__inst_executed_pipe_alu
smsp__inst_executed_pipe_lsu
smsp__inst_executed_pipe_uniform
smsp__inst_executed_pipe_cbu
smsp__inst_executed_pipe_adu
smsp__inst_executed_pipe_xu
smsp__inst_executed_pipe_fp16
l1tex__data_pipe_lsu_wavefronts
l1tex__data_pipe_lsu_wavefronts_mem_shared
l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld
l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st
l1tex__data_pipe_lsu_wavefronts_mem_shared_cmd_read
l1tex__data_pipe_lsu_wavefronts_mem_shared_cmd_write
l1tex__data_pipe_lsu_wavefronts_mem_lg
smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared
smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld
smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st
smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts
l1tex__t_requests_pipe_lsu_mem_global_op_ld
l1tex__t_requests_pipe_lsu_mem_global_op_st
l1tex__t_sectors_pipe_lsu_mem_global_op_ld
l1tex__t_sectors_pipe_lsu_mem_global_op_st
l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts
l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access
l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_bypass
l1tex__m_xbar2l1tex_read_sectors_mem_lg_op_ld
sm__cycles_elapsed
"
ncu --csv --page raw --clock-control none -k 'regex:chang|gemm' --metrics "$(known "$wanted")" \
  "$program" "$cases/cases.csv" >"$out/counters.csv" 2>"$out/counters.err"

wanted="
dram__bytes_read
dram__bytes_write
lts__t_sectors_srcunit_tex_op_read
lts__t_sectors_srcunit_tex_op_read_lookup_hit
lts__t_sectors_srcunit_tex_op_read_lookup_miss
lts__t_sectors_srcunit_tex_op_write
lts__t_sectors_srcunit_tex_op_write_lookup_hit
lts__t_sectors_srcunit_tex_op_write_lookup_miss
lts__t_sectors_srcunit_ltcfabric
lts__t_sectors_srcunit_ltcfabric_lookup_hit
lts__t_sectors_srcunit_ltcfabric_lookup_miss
lts__t_sectors_op_read
lts__t_sectors_op_read_lookup_hit
lts__t_sectors_op_read_lookup_miss
lts__t_sectors_op_write
lts__t_sectors_op_write_lookup_hit
lts__t_sectors_op_write_lookup_miss
l1tex__m_xbar2l1tex_read_sectors
l1tex__t_sectors_pipe_lsu_mem_global_op_ld
l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit
l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss
l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts
l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access
l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access_lookup_hit
l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_bypass
gpu__time_duration
sm__cycles_elapsed
sm__cycles_active
smsp__cycles_active
smsp__cycles_elapsed
smsp__issue_active
smsp__inst_issued
smsp__inst_executed
"
# Passes by running the program again: replaying a kernel would save and restore its memory through L2.
warm() {  # NAME CASES LAUNCHES PLACES
  ncu --csv --page raw --clock-control none --cache-control none --replay-mode application -k 'regex:chang|gemm' \
    --metrics "$(known "$wanted")" "$program" "$cases/$2" "$3" "$4" >"$out/warm_$1.csv" 2>"$out/warm_$1.err"
}
warm traffic traffic_cases.csv 6 4
warm slope slope_cases.csv 10 1
warm counters cases.csv 4 1

wanted="
dram__bytes_read
dram__bytes_write
lts__t_sectors_srcunit_tex_op_read
lts__t_sectors_srcunit_tex_op_write
"
places() {  # NAME PLACES
  ncu --csv --page raw --print-units base --clock-control none --cache-control none --replay-mode app-range \
    --metrics "$(known "$wanted")" "$program" "$cases/$1_cases.csv" 8 "$2" 8 >"$out/$1_places.csv" 2>"$out/$1_places.err"
}
places slope 5
places random 3
places lone 3
