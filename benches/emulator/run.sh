#!/bin/sh
# Measures the emulator, plain loops and the peers on this machine, in at most four minutes after the build.
#
#   benches/emulator/run.sh [FOLDER]     the result goes to FOLDER (default: benches/results/emulator)
#
# Then: WARPLOOM_BLESS=1 cargo test -p warploom-harness --test emulator_speed_doc
#
# Peers are programs of their own; what is missing is said in the result. With a Python of one's own choice (WARPLOOM_BENCH_PYTHON):
#   PoCL      apt-get install pocl-opencl-icd ocl-icd-libopencl1; pip install numpy pyopencl
#   Numba     pip install numpy numba      (not numba-cuda: 0.30 asks for NVIDIA's libraries, even to simulate)
#
# WARPLOOM_BENCH_EMULATOR=FILE runs an executable of `cargo bench --bench emulator --no-run` instead of building one.
# WARPLOOM_BENCH_ROUNDS=N: how often the engines take turns (3). WARPLOOM_BENCH_BLOCKS=N: at most N blocks (a square), to try the script.
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
out="${1:-$here/../results/emulator}"
mkdir -p "$out"
out="$(cd "$out" && pwd)"
python="${WARPLOOM_BENCH_PYTHON:-python3}"
rounds="${WARPLOOM_BENCH_ROUNDS:-3}"
blocks="${WARPLOOM_BENCH_BLOCKS:-1000000000}"
cd "$here/../.."

program="${WARPLOOM_BENCH_EMULATOR:-}"
if [ -z "$program" ]; then
    # Only this package's device code: that of the others takes minutes and is not run here.
    program="$(WARPLOOM_DEVICE_CODE="${WARPLOOM_DEVICE_CODE:-warploom-benches}" \
        cargo bench --bench emulator --no-run --message-format=json | sed -n 's/.*"executable":"\([^"]*emulator-[^"]*\)".*/\1/p' | tail -n 1)"
fi
[ -x "$program" ] || { echo "run.sh: no executable of the benchmark: $program" >&2; exit 1; }

lines="$(mktemp -d)"
trap 'rm -rf "$lines"' EXIT
WARPLOOM_BENCH_LOAD="$(cut -d ' ' -f 1 /proc/loadavg)"
WARPLOOM_BENCH_COMPILER="$(rustc --version | cut -d ' ' -f 1-2)"
export WARPLOOM_BENCH_LOAD WARPLOOM_BENCH_COMPILER
export PYTHONDONTWRITEBYTECODE=1 POCL_CACHE_DIR="$lines/pocl"
mkdir -p "$POCL_CACHE_DIR"

# The first core, or the first two, of those that this process may use.
allowed="$("$python" -c 'import os; print(*sorted(os.sched_getaffinity(0)))')"
first="$(echo "$allowed" | cut -d ' ' -f 1)"
second="$(echo "$allowed" | cut -d ' ' -f 2 -s)"
kinds="1"
[ -n "$second" ] && kinds="1 2"

pinned() { # CORES COMMAND...
    cores="$1"
    shift
    if [ "$cores" = 1 ]; then cpus="$first"; else cpus="$first,$second"; fi
    POCL_MAX_PTHREAD_COUNT="$cores" timeout 120 taskset -c "$cpus" "$@"
}

missing() { # ENGINE REASON
    echo "$1: $2" >&2
    printf '{"engine":"%s","why":"%s"}\n' "$1" "$2" >>"$lines/missing.jsonl"
}

failed=""
engine() { # ENGINE CORES FILE ARGUMENT...
    name="$1" cores="$2" file="$lines/$3.jsonl"
    shift 3
    set -- --blocks "$blocks" "$@"
    case "$name" in
    fast | checked)
        WARPLOOM_EMULATOR="$name" pinned "$cores" "$program" --engine "$name" --out "$file" "$@"
        ;;
    lints)
        # Its warnings are about the kernels, which are what they are.
        WARPLOOM_EMULATOR=checked WARPLOOM_REPORT=quiet pinned "$cores" "$program" --engine lints --out "$file" "$@"
        ;;
    hand) pinned "$cores" "$program" --engine hand --out "$file" "$@" ;;
    pocl) pinned "$cores" "$python" "$here/peers/pocl_run.py" --out "$file" "$@" ;;
    numba) pinned "$cores" "$python" "$here/peers/numba_kernels.py" --out "$file" "$@" ;;
    esac || {
        echo "run.sh: $name on $cores cores failed" >&2
        failed="$failed $name"
    }
}

engines="hand fast"
if WARPLOOM_EMULATOR=checked "$program" --engine checked --only empty_1x32 --seconds 0 >/dev/null 2>"$lines/why"; then
    engines="$engines checked"
else
    missing "warploom checked" "$(sed 's/^emulator: //; s/["\\]/ /g' "$lines/why" | tail -n 1)"
fi
if "$python" -c 'import numpy, pyopencl as cl; assert any("Portable" in p.name for p in cl.get_platforms())' 2>/dev/null; then
    engines="$engines pocl"
else
    missing PoCL "not installed on this machine"
fi
numba=""
if NUMBA_ENABLE_CUDASIM=1 "$python" -c 'import numpy; from numba import cuda' 2>/dev/null; then
    numba=yes
else
    missing "Numba simulator" "not installed on this machine"
fi

# Engines take turns, so that slow changes of the machine's speed affect all of them alike.
for round in $(seq "$rounds"); do
    for cores in $kinds; do
        for name in $engines; do
            skipped=rounds
            case "$name" in hand | fast | checked) skipped=rounds,matmul_512 ;; esac
            engine "$name" "$cores" "$name" --seconds 0.5 --skip "$skipped"
        done
    done
done
for cores in $kinds; do
    for name in $engines; do
        engine "$name" "$cores" "$name" --seconds 1 --only rounds
    done
done
# What the performance lints cost, which need the checks; peers do not have this kernel.
for name in hand fast checked lints; do
    needed="$name"
    [ "$name" = lints ] && needed=checked
    case " $engines " in *" $needed "*) engine "$name" 1 "$name" --seconds 1 --only matmul_512 ;; esac
done
for name in $engines; do
    engine "$name" 1 memory --seconds 0 --only reduce
done
if [ -n "$numba" ]; then
    engine numba 1 numba --seconds 0.1
    engine numba 1 memory --seconds 0 --only reduce
fi

"$program" --merge "$lines" --out "$out"
[ -z "$failed" ] || { echo "run.sh: failed:$failed" >&2; exit 1; }
