#!/usr/bin/env bash
# The geometries of column_steps.csv: `build FOLDER`, `run FOLDER` (programs.sh).
# shellcheck source=microbench/experiments/programs.sh disable=SC2034
source "$(dirname "$0")/programs.sh"
code=column_steps.cu
columns="what,BM,BN,BK,TM,TN,stages,vec_b,columns,stride,cycles"

geometries() {  # BM BN BK TM TN stages vec_b
  printf '%s\n' "128 128 8 8 8 4 1" "128 128 8 8 8 4 4" "256 64 16 4 4 2 1" "256 64 16 4 4 2 4" "256 64 8 4 16 5 1" \
    "256 32 16 4 8 4 1" "64 128 16 8 8 3 1" "64 128 16 4 4 3 1" "128 32 16 4 4 3 1" "32 256 16 4 4 3 1"
}
program() {
  echo "columns_${1}_${2}_${3}_${4}_${5}_${6}_$7" \
    "-DTILE_M=$1 -DTILE_N=$2 -DTILE_K=$3 -DTHREAD_M=$4 -DTHREAD_N=$5 -DASYNC=1 -DSTAGES=$6" \
    "-DSPLIT=0 -DVEC_A=1 -DVEC_B=$7 -DVEC_C=1"
}

build_or_run "$@"
