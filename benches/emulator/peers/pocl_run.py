"""The kernels under PoCL, through pyopencl. Times are those of the wall clock around a launch, as on the other side."""

import sys
from pathlib import Path

import numpy as np
import pyopencl as cl

from common import A, BINS, COUNTED, THREADS, TILE, arguments, floats, measure, missing, numbers, of_a, of_b, rows


def main():
    wishes = arguments()
    found = [p for p in cl.get_platforms() if "portable computing" in p.name.lower()]
    if not found:
        sys.exit("pocl_run.py: no platform of PoCL among " + str([p.name for p in cl.get_platforms()]))
    device = found[0].get_devices()[0]
    # "OpenCL 3.0 PoCL 3.1+debian Linux, ..."
    version = found[0].version.split("PoCL", 1)[-1].split()[0].split("+")[0]
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    has_shuffles = "cl_khr_subgroup_shuffle" in device.extensions.split()
    source = Path(__file__).with_name("pocl_kernels.cl").read_text(encoding="utf-8")
    options = ["-D", "SHUFFLES", "-cl-std=CL3.0"] if has_shuffles else []
    program = cl.Program(context, source).build(options=options)
    flags = cl.mem_flags

    def buffer(array):
        return cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=array)

    def prepare(kernel, blocks):
        count = blocks * THREADS
        if kernel == "shuffle" and not has_shuffles:
            missing(wishes, "PoCL, `shuffle`", f"version {version} has no shuffles (`cl_khr_subgroup_shuffle`) on this device")
            return None
        shape, local, y, args = (count,), (THREADS,), np.zeros(count, np.float32), None
        if kernel == "saxpy":
            y = floats(count)
            out = buffer(y)
            args = (A, buffer(floats(count)), out)
        elif kernel in ("reduce", "scan", "shuffle"):
            if kernel == "reduce":
                y = np.zeros(blocks, np.float32)
            out = buffer(y)
            args = (buffer(floats(count)), out)
        elif kernel == "matmul":
            n = rows(blocks)
            shape, local, y = (n, n), (TILE, TILE), np.zeros(n * n, np.float32)
            out = buffer(y)
            args = (buffer(of_a(n)), buffer(of_b(n)), np.uint32(n), out)
        elif kernel == "histogram":
            y = np.zeros(BINS, np.uint32)
            out = buffer(y)
            args = (buffer(numbers(count * COUNTED)), out)
        elif kernel == "rounds":
            y = np.zeros(count, np.uint32)
            out = buffer(y)
            args = (out,)
        else:
            shape, local, out, args = ((32,), (32,), None, ()) if kernel == "empty_1x32" else ((blocks,), (1,), None, ())
        name = {"shuffle": "shuffle_"}.get(kernel, kernel.split("_")[0])
        function = cl.Kernel(program, name)
        function.set_args(*args)

        def run(_keep=args):  # a kernel does not keep its arguments
            cl.enqueue_nd_range_kernel(queue, function, shape, local)
            queue.finish()

        def result():
            cl.enqueue_copy(queue, y, out).wait()
            return y

        return run, result if out is not None else None

    measure(wishes, "PoCL", version, prepare)


main()
