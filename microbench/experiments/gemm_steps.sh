#!/usr/bin/env bash
# The geometries of gemm_steps.csv: `build FOLDER`, `run FOLDER` (programs.sh).
# shellcheck source=microbench/experiments/programs.sh disable=SC2034
source "$(dirname "$0")/programs.sh"
code=gemm_steps.cu
columns="what,BM,BN,BK,TM,TN,async,stages,sms,blocks,cycles"

geometries() {  # BM BN BK TM TN async stages
  printf '%s\n' "128 32 32 4 8 0 2" "64 64 16 4 4 0 2" "64 64 16 8 8 0 2" "128 128 8 8 8 0 2" "64 64 8 4 8 0 1" \
    "64 64 16 4 4 1 3" "128 64 8 8 4 1 3" "64 64 32 8 8 1 3" "32 128 16 8 8 1 4" "128 128 16 8 8 1 3" \
    "32 256 16 4 4 1 3" "32 256 16 4 8 1 3" "32 256 16 8 4 1 3" "32 256 32 8 8 1 2" "32 256 16 4 8 0 2" \
    "32 256 8 8 8 0 2" "256 32 16 4 4 1 3" "256 32 16 8 4 1 3" "256 32 16 4 8 1 3" "256 32 32 8 8 1 2" \
    "256 32 16 8 4 0 2" "256 32 8 8 8 0 2"
}
program() {
  local vec_a=$(($6 == 1 ? 1 : 4))
  echo "steps_${1}_${2}_${3}_${4}_${5}_${6}_$7" \
    "-DTILE_M=$1 -DTILE_N=$2 -DTILE_K=$3 -DTHREAD_M=$4 -DTHREAD_N=$5 -DASYNC=$6 -DSTAGES=$7" \
    "-DSPLIT=0 -DVEC_A=$vec_a -DVEC_B=1 -DVEC_C=4 -DK_SIZE=3"
}

build_or_run "$@"
