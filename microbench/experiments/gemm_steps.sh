#!/usr/bin/env bash
# The geometries of gemm_steps.csv, two at a time: `build FOLDER` compiles a program and a cubin for each (to
# carry them to a machine without nvcc), `run FOLDER` prints the rows.
set -euo pipefail
[[ $# -eq 2 && $1 =~ ^(build|run)$ ]] || { echo "usage: gemm_steps.sh build|run FOLDER" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
folder=$2

build() {
  mkdir -p "$folder"
  # BM BN BK TM TN async stages
  printf '%s\n' "128 32 32 4 8 0 2" "64 64 16 4 4 0 2" "64 64 16 8 8 0 2" "128 128 8 8 8 0 2" "64 64 8 4 8 0 1" \
    "64 64 16 4 4 1 3" "128 64 8 8 4 1 3" "64 64 32 8 8 1 3" "32 128 16 8 8 1 4" "128 128 16 8 8 1 3" |
    xargs -P 2 -I{} bash -c 'compile {}'
}
compile() {
  local vec_a=$(($6 == 1 ? 1 : 4)) kind
  local defines="-DTILE_M=$1 -DTILE_N=$2 -DTILE_K=$3 -DTHREAD_M=$4 -DTHREAD_N=$5 -DASYNC=$6 -DSTAGES=$7"
  defines+=" -DSPLIT=0 -DVEC_A=$vec_a -DVEC_B=1 -DVEC_C=4 -DK_SIZE=3"
  for kind in "" -cubin; do
    # shellcheck disable=SC2086
    nvcc -O3 -std=c++17 -arch=sm_90a -I "$here/../../kernels" -I "$here/../.." $defines $kind \
      -o "$folder/steps_${1}_${2}_${3}_${4}_${5}_${6}_$7${kind:+.cubin}" "$here/gemm_steps.cu"
  done
}
export -f compile
export folder here

run() {
  echo "what,BM,BN,BK,TM,TN,async,stages,blocks,cycles"
  for program in "$folder"/steps_*; do
    [[ $program == *.cubin ]] || "$program"
  done
}

"$1"
