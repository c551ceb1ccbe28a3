// Sums of tiles of 512 fours, four tiles per block, and scans that begin with what is before each tile, two tiles per block: the twins of
// `scan_inclusive` and `scan_exclusive`. Blocks of 512.
__device__ unsigned total(uint4 four) { return four.x + four.y + four.z + four.w; }

__device__ uint4 plus(uint4 a, uint4 b) { return make_uint4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }

__device__ uint2 plus(uint2 a, uint2 b) { return make_uint2(a.x + b.x, a.y + b.y); }

__device__ uint2 minus(uint2 a, uint2 b) { return make_uint2(a.x - b.x, a.y - b.y); }

// `how` of each.
template <typename How> __device__ uint2 each(uint2 a, How how) { return make_uint2(how(a.x), how(a.y)); }

template <typename How> __device__ uint4 each(uint4 a, How how) { return make_uint4(how(a.x), how(a.y), how(a.z), how(a.w)); }

constexpr unsigned ALL = 0xffffffffu;

// Sums over the lanes up to this one, as far as `end` reaches.
__device__ uint2 up_to_lane(uint2 sums, unsigned end) {
    unsigned lane = threadIdx.x % 32;
    for (unsigned delta = 1; delta < end; delta *= 2) {
        uint2 below = each(sums, [=](unsigned sum) { return __shfl_up_sync(ALL, sum, delta); });
        if (lane >= delta) sums = plus(sums, below);
    }
    return sums;
}

// What the threads before this one have, in each of the tiles.
__device__ uint2 before_thread(uint2 own) {
    __shared__ uint2 sums[16];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint2 up_to_own = up_to_lane(own, 32);
    uint2 of_warp = each(up_to_own, [](unsigned sum) { return __shfl_sync(ALL, sum, 31); });
    if (lane == 0) sums[warp] = of_warp;
    __syncthreads();
    uint2 up_to_warps = up_to_lane(sums[lane % 16], 16);
    uint2 up_to_this = each(up_to_warps, [=](unsigned sum) { return __shfl_sync(ALL, sum, warp); });
    return minus(plus(minus(up_to_this, of_warp), up_to_own), own);
}

__device__ uint4 over_lanes(uint4 sums, unsigned first) {
    for (unsigned flip = first; flip > 0; flip /= 2)
        sums = plus(sums, each(sums, [=](unsigned sum) { return __shfl_xor_sync(ALL, sum, flip); }));
    return sums;
}

// What all threads of the block have, in each of the tiles.
__device__ uint4 of_block(uint4 own) {
    __shared__ uint4 sums[16];
    unsigned lane = threadIdx.x % 32;
    own = over_lanes(own, 16);
    if (lane == 0) sums[threadIdx.x / 32] = own;
    __syncthreads();
    return over_lanes(sums[lane % 16], 8);
}

extern "C" __global__ void sums_of_tiles(const uint4 *__restrict__ x, unsigned long long n, uint4 *__restrict__ sums) {
    unsigned long long first = (unsigned long long)blockIdx.x * (4 * 512) + threadIdx.x;
    unsigned own[4];
    for (unsigned k = 0; k < 4; ++k) own[k] = first + k * 512 < n ? total(x[first + k * 512]) : 0;
    uint4 all = of_block(make_uint4(own[0], own[1], own[2], own[3]));
    if (threadIdx.x == 0) sums[blockIdx.x] = all;
}

// Writes what `sums` makes of what is before a four, and of the four. The tiles of a block are as far apart as there are threads.
template <typename Sums>
__device__ void scan(const uint4 *__restrict__ x, unsigned long long n, const unsigned *__restrict__ before, uint4 *__restrict__ y, Sums sums) {
    unsigned long long i = (unsigned long long)blockIdx.x * 512 + threadIdx.x, threads = (unsigned long long)gridDim.x * 512;
    uint4 fours[2];
    for (unsigned k = 0; k < 2; ++k) fours[k] = i + k * threads < n ? x[i + k * threads] : make_uint4(0, 0, 0, 0);
    uint2 before_own = before_thread(make_uint2(total(fours[0]), total(fours[1])));
    unsigned own[2] = {before_own.x, before_own.y};
    for (unsigned k = 0; k < 2; ++k) {
        unsigned long long at = i + k * threads;
        if (at < n) y[at] = sums(before[at / 512] + own[k], fours[k]);
    }
}

extern "C" __global__ void scan_inclusive(const uint4 *__restrict__ x, unsigned long long n, const unsigned *__restrict__ before,
                                          uint4 *__restrict__ y) {
    scan(x, n, before, y, [](unsigned before, uint4 four) {
        unsigned first = before + four.x, second = first + four.y, third = second + four.z;
        return make_uint4(first, second, third, third + four.w);
    });
}

extern "C" __global__ void scan_exclusive(const uint4 *__restrict__ x, unsigned long long n, const unsigned *__restrict__ before,
                                          uint4 *__restrict__ y) {
    scan(x, n, before, y, [](unsigned before, uint4 four) {
        unsigned second = before + four.x, third = second + four.y;
        return make_uint4(before, second, third, third + four.z);
    });
}
