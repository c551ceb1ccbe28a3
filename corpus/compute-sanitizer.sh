#!/bin/sh
# Runs every case of the corpus under NVIDIA's compute-sanitizer, bug and twin, with each of its four tools.
#
#   compute-sanitizer.sh TOOL PROGRAM OUT [JOBS]
#
# TOOL: compute-sanitizer. PROGRAM: corpus-case, built with device code. OUT: the file of results, one line per run, separated by tabs:
#   case, class, bug or twin, tool, verdict, first line that the tool said.
# The verdict is `report`, `clean`, `timeout` or `failed` (the tool did not run). JOBS run side by side (16). Needs a GPU; no Rust.
# Cases whose bug keeps the GPU busy get 6 seconds and come last, eight at a time; the others get 60.
set -u
tool="$1" program="$2" out="$3" jobs="${4:-16}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# The driver compiles the kernels once, before anybody is in a hurry.
export CUDA_CACHE_PATH="$work/cache" CUDA_CACHE_MAXSIZE=1073741824
"$program" run guard_dropped twin cuda || exit 2

one="$work/one.sh"
cat >"$one" <<'ONE'
#!/bin/sh
# tool program folder case class version check seconds
log="$3/$4.$6.$7.log"
options=""
[ "$7" != memcheck ] || options="--report-api-errors no" # what the driver refuses is no bug of a kernel
# shellcheck disable=SC2086
timeout -k 1 "$8" "$1" --tool "$7" --report-api-errors no --print-limit 3 $options "$2" run "$4" "$6" cuda >"$log" 2>&1
code=$?
first="$(grep '^=========' "$log" | grep -v 'COMPUTE-SANITIZER\|SUMMARY\|^========= *$' | head -n 1 | sed 's/^========= *//' | tr '\t' ' ')"
if [ "$code" = 124 ] || [ "$code" = 137 ]; then
    verdict=timeout
elif grep -q 'ERROR SUMMARY: 0 errors\|RACECHECK SUMMARY: 0 hazards' "$log"; then
    verdict=clean
    first=""
elif grep -q 'SUMMARY' "$log"; then
    verdict=report
else
    verdict=failed
fi
[ "$verdict" != timeout ] || [ -z "$first" ] || verdict=report
printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$4" "$5" "$6" "$7" "$verdict" "$first"
ONE
chmod +x "$one"

quick="$work/quick" slow="$work/slow"
"$program" list | while IFS="$(printf '\t')" read -r name class _ hangs; do
    for check in memcheck racecheck initcheck synccheck; do
        echo "$tool $program $work $name $class twin $check 60" >>"$quick"
        if [ "$hangs" = hangs ]; then
            echo "$tool $program $work $name $class bug $check 6" >>"$slow"
        else
            echo "$tool $program $work $name $class bug $check 60" >>"$quick"
        fi
    done
done
{
    xargs -P "$jobs" -L 1 "$one" <"$quick"
    xargs -P 8 -L 1 "$one" <"$slow"
} | sort >"$work/results"
{
    printf '# On an %s, ' "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1 | sed 's/, /, driver /')"
    printf 'compute-sanitizer %s, its default options.\n' "$("$tool" --version | sed -n 's/.*[Vv]ersion *//p' | head -n 1)"
    cat "$work/results"
} >"$out"
cut -f 3-5 "$work/results" | sort | uniq -c
