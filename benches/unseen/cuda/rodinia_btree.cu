// A search in a B+ tree, a block for each key.
struct Knot {
    int location, indices[257], keys[257], is_leaf, number_keys;
};

extern "C" __global__ void __launch_bounds__(256) find_key(unsigned height, const Knot *__restrict__ knots, unsigned len, const int *__restrict__ records,
                                                            const int *__restrict__ keys, unsigned *current, unsigned *offset, int *answers) {
    int tx = threadIdx.x, bid = blockIdx.x;
    int key = keys[bid];
    for (unsigned level = 0; level < height; level++) {
        const Knot &knot = knots[current[bid]];
        if (knot.keys[tx] <= key && knot.keys[tx + 1] > key) {
            unsigned child = knots[offset[bid]].indices[tx];
            if (child < len) offset[bid] = child;
        }
        __syncthreads();
        if (tx == 0) current[bid] = offset[bid];
        __syncthreads();
    }
    const Knot &leaf = knots[current[bid]];
    if (leaf.keys[tx] == key) answers[bid] = records[leaf.indices[tx]];
}
