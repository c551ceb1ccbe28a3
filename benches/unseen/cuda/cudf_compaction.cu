// A filter of a column: mask, counts of blocks, rows.
extern "C" __global__ void compare(const int *__restrict__ column, int limit, unsigned *__restrict__ mask, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned bits = __ballot_sync(0xffffffffu, i < n && column[i] > limit);
    if (threadIdx.x % 32 == 0 && i < n) mask[i / 32] = bits;
}

// The value of each thread with those of the threads before it, added.
__device__ unsigned inclusive_scan(unsigned value, unsigned *warps) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int distance = 1; distance < 32; distance *= 2) {
        unsigned other = __shfl_up_sync(0xffffffffu, value, distance);
        if (lane >= distance) value += other;
    }
    if (lane == 31) warps[warp] = value;
    __syncthreads();
    for (int k = 0; k < warp; k++) value += warps[k];
    return value;
}

extern "C" __global__ void __launch_bounds__(256) count_rows(const unsigned *__restrict__ mask, unsigned *__restrict__ counts, int words) {
    __shared__ unsigned warps[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned count = __reduce_add_sync(0xffffffffu, i < words ? __popc(mask[i]) : 0);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = count;
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned total = 0;
        for (int k = 0; k < 8; k++) total += warps[k];
        counts[blockIdx.x] = total;
    }
}

extern "C" __global__ void __launch_bounds__(256) scatter(const unsigned *__restrict__ mask, const unsigned *__restrict__ offsets,
                                                           const int *__restrict__ column, int *__restrict__ result, int words) {
    __shared__ unsigned warps[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned bits = i < words ? mask[i] : 0;
    unsigned own = __popc(bits);
    unsigned place = offsets[blockIdx.x] + inclusive_scan(own, warps) - own;
    while (bits) {
        result[place++] = column[32 * i + __ffs(bits) - 1];
        bits &= bits - 1;
    }
}
