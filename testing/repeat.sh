#!/bin/sh
# Runs tests again and again, and says which failed how often: a verdict may depend on the program, its inputs and the seed alone.
#
#   testing/repeat.sh TIMES idle|loaded ARGUMENTS...
#
# ARGUMENTS are those of `cargo test`, such as `-p warploom-corpus --test corpus`. `loaded`: as many busy processes as there are processors run
# beside the tests. The outputs of the runs that failed stay in a folder, which the last line names. The exit status is 1 if any run failed.
set -u
[ "$#" -ge 3 ] || {
    sed -n '2,7s/^# \{0,1\}//p' "$0"
    exit 2
}
times="$1" load="$2"
shift 2

folder="$(mktemp -d)"
busy=""
stop() {
    # Only those that were started below.
    [ -z "$busy" ] || kill $busy 2>/dev/null
}
trap stop EXIT
trap 'exit 130' INT TERM

cargo test --no-run "$@" || exit 2
if [ "$load" = loaded ]; then
    for _ in $(seq "$(nproc)"); do
        sh -c 'while :; do :; done' &
        busy="$busy $!"
    done
fi

for run in $(seq "$times"); do
    if cargo test "$@" >"$folder/$run" 2>&1; then
        rm "$folder/$run"
    else
        grep -h '^test .*FAILED$' "$folder/$run" || tail -n 3 "$folder/$run"
    fi
done | sort | uniq -c | sort -rn

# The loop ran in a shell of its own.
failed=$(find "$folder" -type f | wc -l)
echo "$failed of $times runs failed ($load); their outputs: $folder"
[ "$failed" -eq 0 ]
