#!/usr/bin/env bash
# The geometries of chang_rounds.csv, two at a time: `build FOLDER` compiles a program and a cubin for each (to
# carry them to a machine without nvcc), `run FOLDER` prints the rows.
set -euo pipefail
[[ $# -eq 2 && $1 =~ ^(build|run)$ ]] || { echo "usage: chang_rounds.sh build|run FOLDER" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
folder=$2

build() {
  mkdir -p "$folder"
  local k s tile grid
  for k in 1 3; do
    for s in 32 128; do
      for tile in "8 8" "4 8" "4 4"; do
        for grid in "1 1" "2 1" "2 2" "5 1" "3 2" "4 2" "6 2" "4 4"; do  # warps along pixels and filters
          echo "$k $s $tile $grid"
        done
      done
    done
  done | xargs -P 2 -I{} bash -c 'compile {}'
}
compile() {
  local defines="-DK_SIZE=$1 -DS_BYTES=$2 -DTHREAD_M=$3 -DTHREAD_P=$4 -DWX_TILE=$(($4 * 8 * $5)) -DM_TILE=$(($3 * 4 * $6))"
  local to
  to=$folder/k$1_s$2_$3x$4_w$(printf %02d $(($5 * $6)))
  # shellcheck disable=SC2086
  for kind in "" -cubin; do
    nvcc -O3 -std=c++17 -arch=sm_90a -I "$here/../../kernels" -I "$here/../.." $defines $kind \
      -o "$to${kind:+.cubin}" "$here/chang_rounds.cu"
  done
}
export -f compile
export folder here

run() {
  echo "what,K,S_bytes,M_tile,Wx_tile,thread_m,thread_p,warps,cycles"
  for program in "$folder"/k?_s*_w??; do
    "$program"
  done
}

"$1"
