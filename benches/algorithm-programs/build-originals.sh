#!/bin/sh
# Compiles what the programs are compared with: HeCBench's programs from a checkout, the twins in cuda/, and sorts of the host (by cargo).
#
#   benches/algorithm-programs/build-originals.sh CHECKOUT [FOLDER]     executables and originals.txt go to FOLDER (default: target/algorithm-programs/originals)
#
# CHECKOUT is a folder with HeCBench (https://github.com/zjin-lcf/HeCBench) of the commit that docs/generated/algorithm-programs.md names; of its src/ these are needed:
# radixsort2-cuda, scan3-cuda, scan2-cuda, segment-reduce-cuda, nonzero-cuda, rle-cuda. NVCC is the path of nvcc 12.8 or later (default: the nvcc of CUDA_HOME, else of PATH),
# ARCH the GPU's architecture (default: sm_90). Options are those of HeCBench's own Makefiles. Only what changed is compiled again.
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
[ $# -gt 0 ] || { echo "build-originals.sh: which folder is a checkout of HeCBench?" >&2; exit 1; }
source="$(cd "$1/src" && pwd)"
out="${2:-$here/../../target/algorithm-programs/originals}"
mkdir -p "$out"
out="$(cd "$out" && pwd)"
nvcc="${NVCC:-${CUDA_HOME:+$CUDA_HOME/bin/}nvcc}"
arch="${ARCH:-sm_90}"
command -v "$nvcc" >/dev/null 2>&1 || { echo "build-originals.sh: no nvcc (set NVCC to its path, or CUDA_HOME to the toolkit)" >&2; exit 1; }

version="$("$nvcc" --version | sed -n 's/^.*release .*, V\([0-9.]*\).*$/\1/p')"
described="nvcc $version -O3 -arch=$arch"
if [ "$(cat "$out/originals.txt" 2>/dev/null || true)" != "$described" ]; then
    find "$out" -type f -perm -u+x -exec rm {} +
fi

# `-L`: NVIDIA's Python packages have the libraries in `lib`, where nvcc does not search.
compile() {
    echo "$1" >&2
    "$nvcc" -O3 -std=c++17 -arch="$arch" -cudart static -L "$(dirname "$(command -v "$nvcc")")/../lib" -I "$source/scan2-cuda" -o "$out/$1.new" "$2"
    strip "$out/$1.new"
    mv "$out/$1.new" "$out/$1"
}

for name in radixsort2 scan3 segment-reduce nonzero rle; do
    [ "$out/$name" -nt "$source/$name-cuda/main.cu" ] || compile "$name" "$source/$name-cuda/main.cu"
done
for twin in "$here"/cuda/*.cu; do
    name="$(basename "$twin" .cu)"
    [ "$out/$name" -nt "$twin" ] && [ "$out/$name" -nt "$here/cuda/twin.cuh" ] || compile "$name" "$twin"
done
(cd "$here" && cargo build --release --example cpu_sort)
cp "${CARGO_TARGET_DIR:-$here/../../target}/release/examples/cpu_sort" "$out/cpu_sort"
strip "$out/cpu_sort"
echo "$described" >"$out/originals.txt"
cat "$out/originals.txt"
