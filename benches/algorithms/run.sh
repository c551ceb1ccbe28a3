#!/bin/sh
# Runs the program of a bundle (bundle.sh here, and in benches/algorithm-programs) on this machine's GPU: all that it compares, in turn with the other side.
#
#   ./run.sh [FOLDER] [ARGUMENT...]     results and what is printed (log.txt) go to FOLDER (default: out); ARGUMENTs to the program
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
out="${1:-$here/out}"
[ $# -gt 0 ] && shift
mkdir -p "$out"
WARPLOOM_BENCH_DRIVER="$(nvidia-smi --query-gpu=driver_version --format=csv,noheader -i 0)"
export WARPLOOM_BENCH_DRIVER
rm -f "$out/failed.txt"
if [ -e "$here/originals" ]; then
    set -- "$here/algorithm-programs" --originals "$here/originals" "$@"
else
    set -- "$here/algorithms" --peers "$here/libpeers.so" "$@"
fi
{
    "$@" --device cuda --out "$out" 2>&1 || echo "exit code $?" >"$out/failed.txt"
} | tee "$out/log.txt"
# How the program ended: the pipe's own code is that of tee.
if [ -e "$out/failed.txt" ]; then
    cat "$out/failed.txt" >&2
    exit 1
fi
