#!/usr/bin/env bash
# The geometries of chang_rounds.csv: `build FOLDER`, `run FOLDER` (programs.sh).
# shellcheck source=microbench/experiments/programs.sh disable=SC2034
source "$(dirname "$0")/programs.sh"
code=chang_rounds.cu
columns="what,K,S_bytes,M_tile,Wx_tile,thread_m,thread_p,warps,cycles"

geometries() {
  local k s tile grid
  for k in 1 3; do
    for s in 32 128; do
      for tile in "8 8" "4 8" "4 4"; do
        for grid in "1 1" "2 1" "2 2" "5 1" "3 2" "4 2" "6 2" "4 4"; do  # warps along pixels and filters
          echo "$k $s $tile $grid"
        done
      done
    done
  done
}
program() {
  echo "k$1_s$2_$3x$4_w$(printf %02d $(($5 * $6)))" \
    "-DK_SIZE=$1 -DS_BYTES=$2 -DTHREAD_M=$3 -DTHREAD_P=$4 -DWX_TILE=$(($4 * 8 * $5)) -DM_TILE=$(($3 * 4 * $6))"
}

build_or_run "$@"
