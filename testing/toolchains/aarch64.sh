#!/usr/bin/env bash
# Builds tests for aarch64 Linux and runs them under QEMU's emulation of its user mode; prints a line for each test program, and the sum.
#
#   testing/toolchains/aarch64.sh                        emulator, device-std, runtime
#   testing/toolchains/aarch64.sh -p warploom-manifest   cargo's flags for other tests
#
# Needs rustup and, under Debian, the packages gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and qemu-user-static. Tests start themselves, so the kernel must start
# aarch64 programs by QEMU: it is told so in a user namespace of its own (Linux 6.7 or newer), which ends with this script.
# Logs are kept in target/aarch64. Device code is not made here, unless WARPLOOM_DEVICE_CODE says so.
set -euo pipefail
cd "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../.."
readonly TARGET=aarch64-unknown-linux-gnu LIBRARIES=/usr/aarch64-linux-gnu LOGS="$PWD/target/aarch64"
readonly QEMU="$(command -v qemu-aarch64-static || command -v qemu-aarch64)"
# Programs for aarch64: `\x7fELF`, 64 bits, little endian, executable or shared object, machine 183.
readonly MAGIC='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
readonly MASK='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'

die() { printf 'testing/toolchains/aarch64.sh: %s\n' "$*" >&2; exit 1; }

# In the namespace: runs the programs that the file lists.
run_all() {
    mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
    printf '%s' ":qemu-aarch64:M::$MAGIC:$MASK:$QEMU:F" >/proc/sys/fs/binfmt_misc/register
    export QEMU_LD_PREFIX="$LIBRARIES"
    local executable name folder log code failed=0
    while IFS=$'\t' read -r executable name folder; do
        log="$LOGS/$(basename "$folder")-$name.log"
        code=0
        (cd "$folder" && timeout "${STEP_SECONDS:-600}" "$executable" </dev/null) >"$log" 2>&1 || code=$?
        # Tests that start themselves show the result of that process first.
        tail -n 3 "$log" | grep '^test result: ' >"$LOGS/result" || echo "test result: none" >"$LOGS/result"
        cat "$LOGS/result" >>"$LOGS/results"
        printf '%s\t%s\n' "$(basename "$folder") $name" "$(sed -n 's/^test result: \([^;]*; [^;]*\);.*/\1/p' "$LOGS/result")"
        if [ "$code" != 0 ]; then
            failed=1
            echo "ended with $code; its log is $log"
        fi
    done <"$LOGS/programs.tsv"
    awk '/^test result: / { programs++; passed += $4; failed += $6 }
        END { printf "test result: %d passed; %d failed; in %d test programs on aarch64\n", passed, failed, programs }' "$LOGS/results"
    return "$failed"
}

if [ "${1:-}" = --in-namespace ]; then
    run_all
    exit
fi
[ -n "$QEMU" ] || die "qemu-aarch64-static is missing (package qemu-user-static)"
command -v aarch64-linux-gnu-gcc >/dev/null || die "aarch64-linux-gnu-gcc is missing (package gcc-aarch64-linux-gnu)"
rustup target add "$TARGET"
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc WARPLOOM_DEVICE_CODE="${WARPLOOM_DEVICE_CODE:-0}"
[ $# -gt 0 ] || set -- -p warploom-emulator -p warploom-device-std -p warploom-runtime
rm -rf "$LOGS"
mkdir -p "$LOGS"
testing/programs.sh --target "$TARGET" "$@" >"$LOGS/programs.tsv"
[ -s "$LOGS/programs.tsv" ] || die "no test program was built"
unshare --user --map-root-user --mount testing/toolchains/aarch64.sh --in-namespace
