# Sourced by chang_rounds.sh and gemm_steps.sh, which have
#   code, columns       the .cu file beside this one, and the rows' columns
#   geometries          prints each of them, a line of words
#   program WORDS       prints the name of a geometry's program, then its -D
# `build FOLDER` compiles a program and a cubin of each, two at a time (to carry them to a machine without nvcc),
# `run FOLDER` prints the rows.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

compile() {
  local name defines kind
  read -r name defines <<<"$(program "$@")"
  for kind in "" -cubin; do
    # shellcheck disable=SC2086
    nvcc -O3 -std=c++17 -arch=sm_90a -I "$here/../../kernels" -I "$here/../.." $defines $kind \
      -o "$folder/$name${kind:+.cubin}" "$here/$code"
  done
}

build_or_run() {
  [[ $# -eq 2 && $1 =~ ^(build|run)$ ]] || { echo "usage: $(basename "$0") build|run FOLDER" >&2; exit 2; }
  folder=$2
  if [[ $1 == build ]]; then
    mkdir -p "$folder"
    export -f compile program
    export folder here code
    geometries | xargs -P 2 -I{} bash -c 'compile {}'
  else
    echo "$columns"
    local each
    for each in "$folder"/*; do
      [[ $each == *.cubin ]] || "$each"
    done
  fi
}
