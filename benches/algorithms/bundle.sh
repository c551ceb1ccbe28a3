#!/bin/sh
# Packs what a machine needs that has a GPU and its driver, and neither Rust nor nvcc: the benchmark, the peers, and run.sh, which runs it.
#
#   benches/algorithms/bundle.sh     writes target/algorithms/algorithms.tar.xz
#
# Builds the benchmark with cargo and the peers with build-peers.sh, which says what NVCC, CUDA_HOME, CCCL and ARCH are. The archive is below 40 MiB, or this fails.
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
root="$(cd "$here/../.." && pwd)"
target="${CARGO_TARGET_DIR:-$root/target}"
out="$root/target/algorithms"
most=$((40 << 20))

"$here/build-peers.sh" "$out"
(cd "$root" && cargo build --release --package warploom-algorithms-bench)
folder="$out/warploom-algorithms"
rm -rf "$folder"
mkdir -p "$folder"
cp "$target/release/algorithms" "$out/libpeers.so" "$out/peers.txt" "$here/run.sh" "$folder"
strip "$folder/algorithms"
tar -C "$out" -cJf "$out/algorithms.tar.xz" warploom-algorithms
bytes="$(wc -c <"$out/algorithms.tar.xz")"
if [ "$bytes" -ge "$most" ]; then
    echo "bundle.sh: the archive has $bytes bytes, at most $most are allowed" >&2
    exit 1
fi
echo "$out/algorithms.tar.xz: $bytes bytes"
