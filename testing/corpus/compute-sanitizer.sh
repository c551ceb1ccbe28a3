#!/bin/sh
# Runs every case of the corpus under NVIDIA's compute-sanitizer, bug and twin, and every correct kernel, with each of its four tools.
#
#   compute-sanitizer.sh TOOL PROGRAM OUT [JOBS [SECONDS]]
#
# TOOL: compute-sanitizer. PROGRAM: corpus-case, built with device code. OUT: the file of results, one line per run, separated by tabs:
#   case, class, bug or twin, tool, verdict, first line that the tool said.
# The verdict is `report`, `clean`, `timeout` or `failed` (the tool did not run). JOBS run side by side (16). Needs a GPU; no Rust.
# Cases whose bug keeps the GPU busy get 6 seconds and come last, eight at a time; the others get 25.
#
# Lines are written as the runs end. What OUT already has is not run again, and no run starts after SECONDS (a week): what a short lease
# leaves out, the next call with the same OUT does. The last line of the output says how many runs are missing.
set -u
tool="$1" program="$2" out="$3" jobs="${4:-16}" seconds="${5:-604800}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# The driver compiles the kernels once, before time limits apply.
export CUDA_CACHE_PATH="$work/cache" CUDA_CACHE_MAXSIZE=1073741824
"$program" run guard_dropped twin cuda || exit 2

one="$work/one.sh"
cat >"$one" <<'ONE'
#!/bin/sh
# tool program folder case class version check seconds end out
[ "$(date +%s)" -lt "$9" ] || exit 0
log="$3/$4.$6.$7.log"
# What the driver refuses is no bug of a kernel.
timeout -k 1 "$8" "$1" --tool "$7" --report-api-errors no --print-limit 3 "$2" run "$4" "$6" cuda >"$log" 2>&1
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
# One short write: the lines of runs side by side do not mix.
printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$4" "$5" "$6" "$7" "$verdict" "$first" >>"${10}"
ONE
chmod +x "$one"

quick="$work/quick" slow="$work/slow" end=$(($(date +%s) + seconds))
touch "$out" "$quick" "$slow"
wanted() { # CASE CLASS VERSION CHECK SECONDS LIST
    grep -q "^$1	$2	$3	$4	" "$out" || echo "$tool $program $work $1 $2 $3 $4 $5 $end $out" >>"$6"
}
"$program" list | while IFS="$(printf '\t')" read -r name class _ hangs; do
    for check in memcheck racecheck initcheck synccheck; do
        wanted "$name" "$class" twin "$check" 25 "$quick"
        [ "$class" != correct ] || continue
        if [ "$hangs" = hangs ]; then
            wanted "$name" "$class" bug "$check" 6 "$slow"
        else
            wanted "$name" "$class" bug "$check" 25 "$quick"
        fi
    done
done
all=$(cat "$quick" "$slow" | wc -l) before=$(wc -l <"$out")
[ ! -s "$quick" ] || xargs -P "$jobs" -L 1 "$one" <"$quick"
[ ! -s "$slow" ] || xargs -P 8 -L 1 "$one" <"$slow"
missing=$((all - $(wc -l <"$out") + before))

{
    printf '# On an %s, ' "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -n 1 | sed 's/, /, driver /')"
    printf 'compute-sanitizer %s, its default options.\n' "$("$tool" --version | sed -n 's/.*[Vv]ersion *//p' | head -n 1)"
    grep -v '^#' "$out" | sort
} >"$work/results"
cp "$work/results" "$out"
grep -v '^#' "$out" | cut -f 3-5 | sort | uniq -c
echo "$missing runs are missing"
