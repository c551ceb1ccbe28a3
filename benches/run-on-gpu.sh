#!/bin/sh
# Compiles the CUDA C++ twins with this machine's nvcc and runs them beside the Rust kernels.
#
#   benches/run-on-gpu.sh [FOLDER] [ARGUMENT...]     results go to FOLDER (default: benches/results); ARGUMENTs to side_by_side
#
# Runs benches/side_by_side, benches/math and benches/unseen-kernels if they are there (in a bundle), else builds them with cargo; the results of the last go to
# FOLDER/unseen. Without nvcc, twins/*.cubin of the bundle serve.
set -eu
out="${1:-}"
[ $# -gt 0 ] && shift
here="$(cd "$(dirname "$0")" && pwd)"
out="${out:-$here/results}"
mkdir -p "$out"
out="$(cd "$out" && pwd)"

nvcc="${NVCC:-nvcc}"
if command -v "$nvcc" >/dev/null 2>&1; then
    twins="$(mktemp -d)"
    trap 'rm -rf "$twins"' EXIT
    capability="$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader -i 0 | tr -d '. \n')"
    arch="${capability:+sm_$capability}"
    arch="${arch:-native}"
    for source in "$here"/cuda/*.cu "$here"/unseen/cuda/*.cu; do
        "$nvcc" -O3 -arch="$arch" -cubin -o "$twins/$(basename "$source" .cu).cubin" "$source"
    done
    version="$("$nvcc" --version | sed -n 's/^.*release .*, V\([0-9.]*\).*$/\1/p')"
    export WARPLOOM_BENCH_COMPILER="nvcc $version -O3 -arch=$arch"
else
    twins="$here/twins"
    echo "no nvcc here (set NVCC to its path): taking the twins in $twins" >&2
fi
WARPLOOM_BENCH_DRIVER="$(nvidia-smi --query-gpu=driver_version --format=csv,noheader -i 0)"
export WARPLOOM_BENCH_DRIVER

if [ -x "$here/side_by_side" ]; then
    "$here/side_by_side" --twins "$twins" --out "$out" "$@"
    "$here/math" --twins "$twins" --out "$out"
    "$here/unseen-kernels" --twins "$twins" --out "$out/unseen"
else
    cd "$here/.."
    cargo bench --bench side_by_side -- --twins "$twins" --out "$out" "$@"
    cargo bench --bench math -- --twins "$twins" --out "$out"
    cargo run --release --package warploom-unseen -- --twins "$twins" --out "$out/unseen"
fi
