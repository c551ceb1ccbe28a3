#!/bin/sh
# Runs the test programs of each toolchain on a GPU: `run.sh` of the bundle that testing/toolchains/run.sh --bundle packs.
#
#   ./run.sh [FOLDER]     logs go to FOLDER (default: out), and toolchains-gpu.tsv, which benches/results/ takes
#
# Prints a line for each program, separated by tabs: toolchain, program, tests that passed and opened a GPU, tests that failed. The exit code is 0 if
# every program ran, opened the GPU and had no test that failed.
# Programs of toolchains from another system start with the C library of that system, which lies beside them.
cd "$(dirname "$0")" || exit 1
out="${1:-out}"
mkdir -p "$out" || exit 1
out="$(cd "$out" && pwd)"
export WARPLOOM_DEVICE="${WARPLOOM_DEVICE:-cuda}"
# A test that finds no GPU has failed.
export WARPLOOM_REQUIRE_GPU=1
bad=0
{
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1 | sed 's/^/# /'
    date -u '+# %Y-%m-%d'
} >"$out/toolchains-gpu.tsv"

# Where the driver is, for programs that do not start by the system's own loader; that one knows it from its cache.
driver="$(ldconfig -p 2>/dev/null | sed -n 's/.*libcuda\.so\.1 .*x86-64.* => \(.*\)\/libcuda\.so\.1$/\1/p' | head -n 1)"

for folder in */; do
    name="${folder%/}"
    for program in language five_kernels; do
        [ -e "$name/$program" ] || continue
        log="$out/$name-$program.log"
        export WARPLOOM_GPU_RECORD="$out/$name-$program.opened"
        : >"$WARPLOOM_GPU_RECORD"
        chmod +x "$name/$program"
        if [ -e "$name/system" ]; then
            libraries="$PWD/libraries/$(cat "$name/system")"
            chmod +x "$libraries/ld-linux-x86-64.so.2"
            timeout "${STEP_SECONDS:-300}" "$libraries/ld-linux-x86-64.so.2" --library-path "$libraries${driver:+:$driver}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
                "$name/$program" >"$log" 2>&1 </dev/null
        else
            timeout "${STEP_SECONDS:-300}" "$name/$program" >"$log" 2>&1 </dev/null
        fi
        code=$?
        passed="$(sed -n 's/^test \([A-Za-z0-9_:]*\).* \.\.\. ok$/\1/p' "$log" | sort -u |
            awk -F'\t' 'NR == FNR { opened[$2]; next } $1 in opened { n++ } END { print n + 0 }' "$WARPLOOM_GPU_RECORD" -)"
        failed="$(grep -c '^test .* \.\.\. FAILED$' "$log")"
        printf '%s\t%s\t%s\t%s\n' "$name" "$program" "$passed" "$failed" | tee -a "$out/toolchains-gpu.tsv"
        if [ "$code" != 0 ] || [ "$passed" = 0 ]; then
            bad=1
            echo "$name $program ended with $code; the end of its log:" >&2
            tail -n 20 "$log" >&2
        fi
    done
done
exit "$bad"
