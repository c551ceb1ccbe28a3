// One step of a breadth-first search, one vertex of the frontier per thread: neighbours without a level get their level and go to
// the next frontier: the twin of `bfs_step`.
extern "C" __global__ void bfs_step(unsigned depth, const unsigned *__restrict__ frontier, unsigned n, const unsigned *__restrict__ starts,
                                    const unsigned *__restrict__ targets, unsigned *level, unsigned *next, unsigned *count) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned vertex = frontier[i];
        for (unsigned at = starts[vertex]; at < starts[vertex + 1]; ++at) {
            unsigned target = targets[at];
            if (atomicCAS(&level[target], 0xffffffffu, depth) == 0xffffffffu) next[atomicAdd(count, 1u)] = target;
        }
    }
}

// What was known before the step: the twin of `bfs_reset`.
extern "C" __global__ void bfs_reset(const unsigned *__restrict__ start, unsigned *__restrict__ level, unsigned n, unsigned *__restrict__ count) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) level[i] = start[i];
    if (i == 0) *count = 0;
}
