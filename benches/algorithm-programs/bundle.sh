#!/bin/sh
# Packs what a machine needs that has a GPU and its driver, and neither Rust nor nvcc: the programs, what they are compared with, and run.sh, which runs both.
#
#   benches/algorithm-programs/bundle.sh CHECKOUT     writes target/algorithm-programs/algorithm-programs.tar.xz
#
# Builds the programs with cargo and the rest with build-originals.sh, which says what CHECKOUT, NVCC, CUDA_HOME and ARCH are. The archive is below 40 MiB, or this fails.
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
root="$(cd "$here/../.." && pwd)"
target="${CARGO_TARGET_DIR:-$root/target}"
out="$root/target/algorithm-programs"
most=$((40 << 20))

[ $# -eq 1 ] || { echo "bundle.sh: which folder is a checkout of HeCBench?" >&2; exit 1; }
"$here/build-originals.sh" "$1" "$out/originals"
(cd "$root" && cargo build --release --package warploom-algorithm-programs)
folder="$out/warploom-algorithm-programs"
rm -rf "$folder"
mkdir -p "$folder"
cp -r "$target/release/algorithm-programs" "$out/originals" "$here/../algorithms/run.sh" "$folder"
strip "$folder/algorithm-programs"
tar -C "$out" -cJf "$out/algorithm-programs.tar.xz" warploom-algorithm-programs
bytes="$(wc -c <"$out/algorithm-programs.tar.xz")"
if [ "$bytes" -ge "$most" ]; then
    echo "bundle.sh: the archive has $bytes bytes, at most $most are allowed" >&2
    exit 1
fi
echo "$out/algorithm-programs.tar.xz: $bytes bytes"
