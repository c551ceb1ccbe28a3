//! Runs warploom kernels on the CPU as a GPU would: blocks, 32-lane warps, barriers, shuffles, shared memory
