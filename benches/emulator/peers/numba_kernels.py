"""The kernels under the simulator of Numba (NUMBA_ENABLE_CUDASIM=1), which starts an OS thread for each thread of a block."""

import os
import sys

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"

import numba
import numpy as np
from numba import cuda

from common import A, BINS, COUNTED, ROUNDS, THREADS, TILE, arguments, floats, measure, missing, numbers, of_a, of_b, rows

# A thousand times slower than the others: fewer blocks.
BLOCKS = {"saxpy": 4, "reduce": 2, "shuffle": 2, "scan": 2, "matmul": 4, "histogram": 2, "rounds": 2}


@cuda.jit
def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < len(y):
        y[i] += a * x[i]


@cuda.jit
def reduce(x, y):
    tile = cuda.shared.array(THREADS, numba.float32)
    thread = cuda.threadIdx.x
    tile[thread] = x[cuda.grid(1)]
    cuda.syncthreads()
    half = THREADS // 2
    while half > 0:
        if thread < half:
            tile[thread] += tile[thread + half]
        cuda.syncthreads()
        half //= 2
    if thread == 0:
        y[cuda.blockIdx.x] = tile[0]


@cuda.jit
def scan(x, y):
    tile = cuda.shared.array(2 * THREADS, numba.float32)
    thread = cuda.threadIdx.x
    source, target = 0, THREADS
    tile[thread] = x[cuda.grid(1)]
    cuda.syncthreads()
    distance = 1
    while distance < THREADS:
        total = tile[source + thread]
        if thread >= distance:
            total += tile[source + thread - distance]
        tile[target + thread] = total
        cuda.syncthreads()
        source, target = target, source
        distance *= 2
    y[cuda.grid(1)] = tile[source + thread]


@cuda.jit
def matmul(a, b, n, c):
    of_a = cuda.shared.array((TILE, TILE), numba.float32)
    of_b = cuda.shared.array((TILE, TILE), numba.float32)
    column, row = cuda.threadIdx.x, cuda.threadIdx.y
    x, y = cuda.grid(2)
    product = np.float32(0)
    for start in range(0, n, TILE):
        of_a[row, column] = a[y * n + start + column]
        of_b[row, column] = b[(start + row) * n + x]
        cuda.syncthreads()
        for k in range(TILE):
            product += of_a[row, k] * of_b[k, column]
        cuda.syncthreads()
    c[y * n + x] = product


@cuda.jit
def histogram(x, counts):
    bins = cuda.shared.array(BINS, numba.uint32)
    thread = cuda.threadIdx.x
    bins[thread] = 0
    cuda.syncthreads()
    for k in range(COUNTED):
        cuda.atomic.add(bins, x[cuda.grid(1) + k * cuda.gridsize(1)] % BINS, 1)
    cuda.syncthreads()
    cuda.atomic.add(counts, thread, bins[thread])


@cuda.jit
def rounds(y):
    tile = cuda.shared.array(2 * THREADS, numba.uint32)
    thread = cuda.threadIdx.x
    value = cuda.grid(1)
    for turn in range(ROUNDS):
        at = turn % 2 * THREADS
        tile[at + thread] = value
        cuda.syncthreads()
        value = tile[at + (thread + 1) % THREADS] + 1
    y[cuda.grid(1)] = value


@cuda.jit
def empty():
    pass


def prepare(wishes, kernel, blocks):
    count = blocks * THREADS
    shape, y = (blocks, THREADS), np.zeros(count, np.float32)
    if kernel == "saxpy":
        y = floats(count)
        args, function = (A, floats(count), y), saxpy
    elif kernel == "reduce":
        y = np.zeros(blocks, np.float32)
        args, function = (floats(count), y), reduce
    elif kernel == "shuffle":
        missing(wishes, "Numba simulator, `shuffle`", f"the simulator of Numba {numba.__version__} has no shuffles")
        return None
    elif kernel == "scan":
        args, function = (floats(count), y), scan
    elif kernel == "matmul":
        n = rows(blocks)
        y = np.zeros(n * n, np.float32)
        args, function = (of_a(n), of_b(n), n, y), matmul
        shape = ((n // TILE, n // TILE), (TILE, TILE))
    elif kernel == "histogram":
        y = np.zeros(BINS, np.uint32)
        args, function = (numbers(count * COUNTED), y), histogram
    elif kernel == "rounds":
        y = np.zeros(count, np.uint32)
        args, function = (y,), rounds
    else:
        y, args, function = None, (), empty
        shape = (1, 32) if kernel == "empty_1x32" else (blocks, 1)
    first = None

    def run():
        nonlocal first
        function[shape](*args)
        if first is None and y is not None:
            first = y.copy()

    return run, (lambda: first) if y is not None else None


def main():
    wishes = arguments()
    if "simulator" not in cuda.jit.__module__:
        sys.exit("numba_kernels.py: this is not the simulator")
    measure(wishes, "Numba simulator", numba.__version__, lambda kernel, blocks: prepare(wishes, kernel, blocks), least=2, most_blocks=BLOCKS)


main()
