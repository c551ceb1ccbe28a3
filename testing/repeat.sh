#!/usr/bin/env bash
# Runs test programs many times, to find those whose outcome depends on more than the program.
#
#   testing/repeat.sh 100                    every test program of `cargo test`, 100 times
#   testing/repeat.sh 100 corpus semantics   these programs; `emulator` stands for the unit tests of warploom-emulator
#
# REPEAT_ARGS holds further arguments of `cargo test`: `--release`, `-p warploom-corpus`. Prints a line per program; what a run that failed printed stays under target/repeat/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[[ "${1:-}" =~ ^[1-9][0-9]*$ ]] || usage
readonly RUNS="$1" LOGS="$PWD/target/repeat"
shift
mkdir -p "$LOGS"

read -ra args <<<"${REPEAT_ARGS:-}"
list="$(testing/programs.sh "${args[@]}")"
for name in "$@"; do
    cut -f 2 <<<"$list" | grep -qx "$name" || { printf 'there is no test program `%s`\n' "$name" >&2; exit 2; }
done

failed_programs=0
while IFS=$'\t' read -r executable name folder; do
    [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
    failed=0
    for ((run = 1; run <= RUNS; run++)); do
        # Where cargo runs it: the folder of its package.
        if ! (cd "$folder" && timeout 600 "$executable" --quiet) >"$LOGS/last" 2>&1 </dev/null; then
            failed=$((failed + 1))
            mv "$LOGS/last" "$LOGS/$name-$run.log"
        fi
    done
    printf '%-24s %d of %d runs failed\n' "$name" "$failed" "$RUNS"
    [ "$failed" -eq 0 ] || failed_programs=$((failed_programs + 1))
done <<<"$list"
[ "$failed_programs" -eq 0 ] || { printf 'what they printed is in %s\n' "$LOGS"; exit 1; }
