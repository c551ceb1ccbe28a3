#!/usr/bin/env bash
# How long kernels with many bounds checks take to build, in the dev profile: device code for sm_75, code for the checking emulator, and the program.
#
#   benches/large-kernels.sh [CHECKS...]
#
# For each number of checks (default 400 800 1500 3000) and each of three kernels the wall time with device code, what it takes more of processor time
# than without, and the most memory of one process. Needs GNU time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
repository="$PWD"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- 400 800 1500 3000

mkdir "$work/src"
cp Cargo.lock "$work/"
cat >"$work/Cargo.toml" <<END
[package]
name = "large-kernel"
version = "0.1.0"
edition = "2024"

[dependencies]
warploom = { path = "$repository" }

[build-dependencies]
warploom-build = { path = "$repository/kernel-build" }
END
echo 'fn main() { warploom_build::compile(); }' >"$work/build.rs"

# A sum of elements, a rotation and exclusive or of them, and elements each of which gives the index of the next.
kernel() { # kind, checks
    awk -v kind="$1" -v checks="$2" 'BEGIN {
        srand(1)
        print "use warploom::prelude::*;\n#[kernel]\nfn many(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {"
        print "let n = i.get();\nlet mut s = n as u32;"
        for (i = 0; i < checks; i++) {
            at = sprintf("n * %d + %d", 1 + int(rand() * 8), int(rand() * 100000))
            if (kind == "sum") printf "s = s.wrapping_add(x[%s]);\n", at
            else if (kind == "mix") printf "s = s.rotate_left(3) ^ x[%s];\n", at
            else printf "s = x[s as usize & %d].wrapping_mul(%d);\n", int(rand() * 65536), int(rand() * 1000000) * 2 + 1
        }
        print "if let Some(y) = y.get_mut(i) { *y = s; }\n}\nfn main() { println!(\"{:?}\", Device::open().map(|_| ())); }"
    }'
}

build() { # what to measure, environment...
    touch "$work/src/main.rs"
    (cd "$work" && env "${@:2}" time -o "$work/time" -f "$1" cargo build --quiet)
    cat "$work/time"
}

kernel sum 1 >"$work/src/main.rs"
build '' >/dev/null
WARPLOOM_DEVICE_CODE=0 build '' >/dev/null
for kind in sum mix chain; do
    for checks in "$@"; do
        kernel "$kind" "$checks" >"$work/src/main.rs"
        read -r wall with memory <<<"$(build '%e %U %M')"
        without="$(build '%U' WARPLOOM_DEVICE_CODE=0)"
        awk -v kind="$kind" -v checks="$checks" -v wall="$wall" -v with="$with" -v without="$without" -v memory="$memory" \
            'BEGIN { printf "%-6s %5d checks: wall %5.1f s, device code %5.1f s of processor time, %4d MB\n", kind, checks, wall, with - without, memory / 1024 }'
    done
done
