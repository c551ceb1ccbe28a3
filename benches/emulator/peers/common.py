"""What the peers share: sizes, inputs and check sums of ../cases.rs, the clock, and the lines of results."""

import argparse
import json
import os
import time

import numpy as np

THREADS, TILE, COUNTED, BINS, ROUNDS = 256, 16, 16, 256, 10
A = np.float32(2.0)
MOST_RUNS = 200

# Kernel: blocks, threads of a block, barriers or shuffles.
CASES = {
    "saxpy": (2048, THREADS, 0),
    "reduce": (1024, THREADS, 9),
    "shuffle": (1024, THREADS, 5),
    "scan": (1024, THREADS, 9),
    "matmul": (256, TILE * TILE, 32),
    "histogram": (256, THREADS, 2),
    "rounds": (39063, THREADS, ROUNDS),
    "empty_1x32": (1, 32, 0),
    "empty_1000x1": (1000, 1, 0),
}


def floats(n):
    return (np.arange(n) % 7).astype(np.float32)


def of_a(n):
    return (np.arange(n * n) % 5).astype(np.float32) - np.float32(2)


def of_b(n):
    return (np.arange(n * n) % 3).astype(np.float32)


def numbers(n):
    return (np.arange(n, dtype=np.uint32) * np.uint32(2654435761)) >> np.uint32(24)


def rows(blocks):
    return int(blocks**0.5) * TILE


def check_sum(array):
    words = np.ascontiguousarray(array).reshape(-1).view(np.uint32)
    places = np.arange(1, len(words) + 1, dtype=np.uint32)
    return int((words * places).sum(dtype=np.uint32))


def memory_kib(field):
    """`VmRSS`: what the process has; `VmHWM`: the most that it had since `forget_peak`."""
    with open("/proc/self/status", encoding="utf-8") as status:
        return next((int(line.split()[1]) for line in status if line.startswith(field + ":")), 0)


def forget_peak():
    with open("/proc/self/clear_refs", "w", encoding="utf-8") as file:
        file.write("5")


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out")
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--only")
    parser.add_argument("--skip")
    parser.add_argument("--blocks", type=int)
    return parser.parse_args()


def write(wishes, line):
    if wishes.out:
        with open(wishes.out, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def missing(wishes, engine, why):
    print(f"{engine}: {why}")
    write(wishes, dict(engine=engine, why=why))


def measure(wishes, engine, version, prepare, least=3, most_blocks=None):
    """Times all kernels. `prepare(kernel, blocks)` gives a function that launches and waits, and one that reads the result."""
    cores = len(os.sched_getaffinity(0))
    for kernel, (blocks, per_block, events) in CASES.items():
        if (wishes.only and wishes.only != kernel) or wishes.skip == kernel:
            continue
        blocks = min(blocks, wishes.blocks or blocks)
        if most_blocks and not kernel.startswith("empty"):
            blocks = min(blocks, most_blocks[kernel])
        prepared = prepare(kernel, blocks)
        if prepared is None:
            continue
        run, result = prepared
        forget_peak()
        before = memory_kib("VmRSS")
        run()
        peak = memory_kib("VmHWM")
        check = check_sum(result()) if result else 0
        run()
        ns, started = [], time.perf_counter()
        while len(ns) < MOST_RUNS and (len(ns) < least or time.perf_counter() - started < wishes.seconds):
            start = time.perf_counter_ns()
            run()
            ns.append(float(time.perf_counter_ns() - start))
        threads = blocks * per_block
        best = min(ns)
        print(f"{engine:17} {cores} cores {kernel:13} best {best / 1e6:10.3f} ms {best / threads:10.2f} ns/thread {len(ns)} runs", flush=True)
        write(wishes, dict(kernel=kernel, engine=engine, version=version, cores=cores, blocks=blocks, threads=threads, events=events,
                           check=check, ns=ns, before_kib=before, peak_kib=peak))
