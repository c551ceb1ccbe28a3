#!/bin/sh
# Runs the programs of a bundle (bundle.sh) on this machine's GPU, in turn with what they are compared with.
#
#   ./run.sh [FOLDER] [ARGUMENT...]     results go to FOLDER/<gpu>.json, what is printed to FOLDER/log.txt (default: out); ARGUMENTs to the programs
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
out="${1:-$here/out}"
[ $# -gt 0 ] && shift
mkdir -p "$out"
WARPLOOM_BENCH_DRIVER="$(nvidia-smi --query-gpu=driver_version --format=csv,noheader -i 0)"
export WARPLOOM_BENCH_DRIVER
rm -f "$out/failed.txt"
{
    "$here/algorithm-programs" --device cuda --originals "$here/originals" --out "$out" "$@" 2>&1 || echo "exit code $?" >"$out/failed.txt"
} | tee "$out/log.txt"
# How the programs ended: the pipe's own code is that of tee.
if [ -e "$out/failed.txt" ]; then
    cat "$out/failed.txt" >&2
    exit 1
fi
