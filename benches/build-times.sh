#!/usr/bin/env bash
# How long the benchmarks' kernels take to compile: here, by nvcc as their twins, and in a build without device code.
#
#   NVCC=/path/to/nvcc benches/build-times.sh [ROUNDS]
#
# Builds, then touches a kernel and builds again, ROUNDS times (default 3), without the device pass and with it. For each command the least wall
# time and the least processor time (user and system, of all its processes) are shown: the second says more on a machine that others use.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
rounds="${1:-3}"
nvcc="${NVCC:-nvcc}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
TIMEFORMAT='%R %U %S'

fail() { echo "benches/build-times.sh: $*" >&2; tail -n 20 "$work/log" >&2; exit 1; }

# The least of all rounds; what runs before each round is the second argument.
measure() { # name, preparation, command...
    local name="$1" before="$2" round
    shift 2
    : >"$work/times"
    for ((round = 0; round < rounds; round++)); do
        "$before"
        { time "$@" >"$work/log" 2>&1 || fail "$* failed"; } 2>>"$work/times"
    done
    awk -v name="$name" '
        { wall = $1; cpu = $2 + $3 }
        NR == 1 || wall < least_wall { least_wall = wall }
        NR == 1 || cpu < least_cpu { least_cpu = cpu }
        END { printf "%-44s wall %7.1f s   processor %7.1f s\n", name, least_wall, least_cpu }' "$work/times"
}

nothing() { :; }
touch_kernel() { touch benches/side_by_side/saxpy.rs; }

twins() {
    local source
    for source in benches/cuda/*.cu; do
        case "$source" in */math_*) continue ;; esac
        "$nvcc" -O3 -arch=sm_90 "$@" -o "$work/twin" "$source"
    done
}

build() { WARPLOOM_DEVICE_CODE="$1" cargo build --release --bench side_by_side; }

count="$(sed -n 's/^extern "C" __global__ void.*/x/p' $(ls benches/cuda/*.cu | grep -v /math_) | wc -l)"
echo "$count twins; $rounds rounds; load $(cut -d' ' -f1-3 /proc/loadavg) on $(nproc) cores"
if command -v "$nvcc" >/dev/null; then
    measure "nvcc -cubin, one file after the other" nothing twins -cubin
    measure "nvcc -ptx, without ptxas" nothing twins -ptx
else
    echo "no nvcc here: set NVCC to its path"
fi
for device_code in 0 1; do
    build "$device_code" >"$work/log" 2>&1 || fail "the first build failed"
    measure "cargo build, WARPLOOM_DEVICE_CODE=$device_code" touch_kernel build "$device_code"
done
