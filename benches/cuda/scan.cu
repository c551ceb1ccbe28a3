// Sums of blocks, and scans that begin with what is before each block: the twins of `scan_inclusive` and `scan_exclusive`. Blocks of 512.
__device__ unsigned total(uint4 four) { return four.x + four.y + four.z + four.w; }

// What the threads before this one have, and what all have.
__device__ unsigned block_scan(unsigned own, unsigned &all) {
    __shared__ unsigned scans[512];
    unsigned up_to_own = own, lane = threadIdx.x % 32;
    for (unsigned delta = 1; delta < 32; delta *= 2) {
        unsigned below = __shfl_up_sync(0xffffffffu, up_to_own, delta);
        if (lane >= delta) up_to_own += below;
    }
    scans[threadIdx.x] = up_to_own;
    __syncthreads();
    unsigned before = 0;
    all = 0;
    for (unsigned other = 0; other < 512 / 32; ++other) {
        unsigned of_warp = scans[other * 32 + 31];
        if (other < threadIdx.x / 32) before += of_warp;
        all += of_warp;
    }
    return before + up_to_own - own;
}

extern "C" __global__ void sums_of_fours(const uint4 *__restrict__ x, unsigned long long n, unsigned *__restrict__ sums) {
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned all;
    block_scan(i < n ? total(x[i]) : 0, all);
    if (threadIdx.x == 0) sums[blockIdx.x] = all;
}

extern "C" __global__ void sums_of_ones(const unsigned *__restrict__ x, unsigned long long n, unsigned *__restrict__ sums) {
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned all;
    block_scan(i < n ? x[i] : 0, all);
    if (threadIdx.x == 0) sums[blockIdx.x] = all;
}

extern "C" __global__ void scan_ones(const unsigned *__restrict__ x, unsigned long long n, const unsigned *__restrict__ before,
                                     unsigned *__restrict__ y) {
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned all, before_own = block_scan(i < n ? x[i] : 0, all);
    if (i < n) y[i] = before[blockIdx.x] + before_own;
}

extern "C" __global__ void scan_inclusive(const uint4 *__restrict__ x, unsigned long long n, const unsigned *__restrict__ before,
                                          uint4 *__restrict__ y) {
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    uint4 four = i < n ? x[i] : make_uint4(0, 0, 0, 0);
    unsigned all, before_own = block_scan(total(four), all);
    if (i < n) {
        unsigned first = before[blockIdx.x] + before_own + four.x, second = first + four.y, third = second + four.z;
        y[i] = make_uint4(first, second, third, third + four.w);
    }
}

extern "C" __global__ void scan_exclusive(const uint4 *__restrict__ x, unsigned long long n, const unsigned *__restrict__ before,
                                          uint4 *__restrict__ y) {
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    uint4 four = i < n ? x[i] : make_uint4(0, 0, 0, 0);
    unsigned all, before_own = block_scan(total(four), all);
    if (i < n) {
        unsigned first = before[blockIdx.x] + before_own, second = first + four.x, third = second + four.y;
        y[i] = make_uint4(first, second, third, third + four.z);
    }
}
