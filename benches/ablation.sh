#!/usr/bin/env bash
# What each performance pass of the compiler gives: builds side_by_side once with all passes and once without each of them.
#
#   benches/ablation.sh FOLDER       on any machine: programs, twins and run.sh go to FOLDER, for the kernels whose machine code differs
#   FOLDER/run.sh OUT                on a GPU: times both programs of each pass in turn; results go to OUT, a summary to OUT/summary.txt
#
# Needs cargo, python3, and nvcc, ptxas and nvdisasm in one folder: NVIDIA_BIN. The names of the passes are those of docs/generated/compiler-passes.md.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
out="${1:?a folder for the programs}"
mkdir -p "$out/twins" "$out/ptx"
out="$(cd "$out" && pwd)"
bin="${NVIDIA_BIN:?the folder of nvcc, ptxas and nvdisasm}"

# A package of this one program, so that the device pass compiles no other kernels.
package="$root/target/ablation-package"
mkdir -p "$package"
cp "$root/Cargo.lock" "$root/rust-toolchain.toml" "$package/"
cat >"$package/Cargo.toml" <<TOML
[package]
name = "ablation"
version = "0.1.0"
edition = "2024"
[workspace]
[[bin]]
name = "side_by_side"
path = "$root/benches/side_by_side/main.rs"
[dependencies]
warploom = { path = "$root" }
warploom-harness = { path = "$root/testing/harness" }
warploom-manifest = { path = "$root/manifest" }
libloading = { version = "0.8", default-features = false }
thiserror = { version = "2", default-features = false, features = ["std"] }
[build-dependencies]
warploom-build = { path = "$root/kernel-build" }
TOML
printf 'fn main() {\n    warploom_build::compile();\n}\n' >"$package/build.rs"

# build NAME PASSES: the program and its PTX.
build() {
    (cd "$package" && WARPLOOM_DUMP=1 WARPLOOM_INSTRUMENTED=0 WARPLOOM_PASSES="$2" cargo build --release --quiet \
        --target-dir "$root/target/ablation-target")
    strip -o "$out/side_by_side.$1" "$root/target/ablation-target/release/side_by_side"
    local ptx
    ptx="$(find "$root/target/ablation-target" -name 'side_by_side*.sm_75.ptx' -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d' ' -f2)"
    cp "$ptx" "$out/ptx/$1.ptx"
    echo "built $1"
}

if [ ! -e "$out/twins/saxpy.cubin" ]; then
    for source in "$root"/benches/cuda/*.cu; do
        "$bin/nvcc" -O3 -arch=sm_90 -cubin -o "$out/twins/$(basename "$source" .cu).cubin" "$source"
    done
fi
build base ""
passes="${PASSES:-$(sed -n 's/^| `[a-z-]*` |.*| `-\([a-z-]*\)` |$/\1/p' "$root/docs/generated/compiler-passes.md")}"
for pass in $passes; do
    build "$pass" "-$pass"
done
# shellcheck disable=SC2086
python3 "$root/benches/ablation.py" "$out" "$bin" "$root/benches/side_by_side" $passes
