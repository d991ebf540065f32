#!/usr/bin/env bash
# Compiles every .cu file with nvcc for sm_80, sm_90 and sm_100: a second compiler's opinion on device code that
# at run time only NVRTC sees. Specialisations come from device_code_cases.txt; a file that has no line there is
# compiled with its own defaults. The experiments behind findings, host code and all, are compiled for the GPU that
# they were run on. Usage: check_device_code.sh [JOBS]
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}
cases=kernels/device_code_cases.txt
command -v nvcc >/dev/null || { echo "check_device_code: nvcc is not on PATH" >&2; exit 5; }

compile_case() {  # "path/below/root.cu NAME=VALUE ..."
  local words source
  read -ra words <<<"$1"
  source=${words[0]}
  words=("${words[@]/#/-D}")  # NAME=VALUE to -DNAME=VALUE
  local codes=(-gencode arch=compute_90,code=sm_90 -gencode arch=compute_100,code=sm_100)
  # A split reduction needs clusters, which sm_80 lacks.
  [[ " $1 " == *" SPLIT=1 "* ]] || codes+=(-gencode arch=compute_80,code=sm_80)
  [[ $source != microbench/experiments/* ]] || codes=(-arch=sm_90a)
  # Headers shared with the host are plain constexpr functions, which NVRTC takes as device code by itself.
  nvcc -std=c++17 --expt-relaxed-constexpr -Werror all-warnings -I kernels -I microbench -I . \
    "${codes[@]}" "${words[@]:1}" -fatbin -o /dev/null "$source" || { echo "failed: $1" >&2; return 1; }
}
export -f compile_case

list=$(grep -v '^#' "$cases" || true)
while read -r source; do
  grep -q "^$source\b" <<<"$list" || list+=$'\n'$source
done < <(find kernels microbench -name '*.cu' | sort)
list=$(sed '/^$/d' <<<"$list")

# A case whose file is gone would otherwise be a confusing message of nvcc.
while read -r source _; do
  [ -f "$source" ] || { echo "$cases: $source does not exist" >&2; exit 3; }
done <<<"$list"

xargs -d '\n' -P "$jobs" -I{} bash -c 'compile_case "$1"' _ {} <<<"$list"
echo "check_device_code: $(wc -l <<<"$list") specialisations compiled"
