#!/bin/sh
# Runs all that is in this bundle on the GPU: tests, the examples, the programs of the gallery, the benchmarks. Logs and results go to out/.
# The last lines are a summary; the exit code is 0 if everything passed.
cd "$(dirname "$0")" || exit 1
export WARPLOOM_DEVICE="${WARPLOOM_DEVICE:-cuda}"
# A test that finds no GPU here has failed.
[ "$WARPLOOM_DEVICE" != cuda ] || export WARPLOOM_REQUIRE_GPU="${WARPLOOM_REQUIRE_GPU:-$(nvidia-smi -L | grep -c .)}"
mkdir -p out
# Each test that opens a GPU appends a line: program, test, name of the GPU, UUID.
export WARPLOOM_GPU_RECORD="$PWD/out/opened-gpus.tsv"
: >"$WARPLOOM_GPU_RECORD"
# The tests of mathematical functions write what they measure: benches/results/math/accuracy/ takes the files.
rm -rf out/accuracy
export WARPLOOM_RECORD_DIR="$PWD/out/accuracy"
WARPLOOM_BENCH_DRIVER="$(nvidia-smi --query-gpu=driver_version --format=csv,noheader -i 0)"
export WARPLOOM_BENCH_DRIVER
passed=0
failed=""

step() { # name, command...
    name="$1"
    shift
    echo "== $name"
    if timeout "${STEP_SECONDS:-240}" "$@" >"out/$name.log" 2>&1; then
        passed=$((passed + 1))
        grep -E '^test result|checks passed' "out/$name.log"
    else
        failed="$failed $name"
        tail -n 40 "out/$name.log"
    fi
}

# The log keeps the number in the program's name: several packages have tests of one name.
for program in deps/*; do
    step "test-$(basename "$program")" "$program"
done
step photo ./photo assets/photo.png
step overlap ./overlap
cp target/overlap.svg out/
# Pictures and figures of these go to target/gallery/.
for program in gallery/programs/*; do
    step "gallery-$(basename "$program")" "$program"
done
[ -d target/gallery ] && cp -R target/gallery out/gallery
step benchmarks benches/run-on-gpu.sh out
cat out/benchmarks.log

# What docs/generated/coverage.md counts for the GPU: tests that passed and opened one.
{
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1 | sed 's/^/# /'
    date -u '+# %Y-%m-%d'
    for log in out/test-*.log; do
        program="$(basename "$log" .log | sed 's/^test-//')"
        sed -n "s/^test \([A-Za-z0-9_:]*\).* \.\.\. ok$/$program\t\1/p" "$log"
    done | awk -F'\t' 'NR == FNR { if ($3 !~ /\(fake\)$/) opened[$1 FS $2]; next } $1 FS $2 in opened { sub(/-[0-9a-f]*$/, "", $1); print $1, $2 }' "$WARPLOOM_GPU_RECORD" -
} >out/gpu-tests.txt
echo "== summary on $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1)"
echo "GPUs that tests opened: $(cut -f 3,4 "$WARPLOOM_GPU_RECORD" | sort | uniq -c | sort -rn | tr '\t\n' ' ;')"
echo "tests that passed and opened a GPU: $(grep -vc '^#' out/gpu-tests.txt); skips: $(cat out/test-*.log | grep -c 'is skipped')"
cat out/test-*.log | awk '/^test result/ { ok += $4; bad += $6; skip += $8 } END { printf "tests: %d passed, %d failed, %d ignored\n", ok, bad, skip }'
grep -h 'checks passed' out/photo.log
cat out/gallery-*.log | awk '/^[0-9]+ checks passed on / { programs++; checks += $1 } END { printf "gallery: %d checks of %d programs passed\n", checks, programs }'
echo "steps: $passed passed, failed:${failed:- none}"
[ -z "$failed" ]
