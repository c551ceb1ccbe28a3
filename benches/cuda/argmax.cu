// The largest number and where it is first, of each block: the twin of `argmax`. `argmax_partial` does the same with what it leaves.
struct __align__(8) Best {
    float value;
    unsigned index;
};

__device__ Best none() { return Best{-INFINITY, 0xffffffffu}; }

__device__ Best better(Best a, Best b) {
    return b.value > a.value || (b.value == a.value && b.index < a.index) ? b : a;
}

__device__ Best warp_best(Best best) {
    for (int delta = 16; delta > 0; delta /= 2) {
        Best other;
        other.value = __shfl_down_sync(0xffffffffu, best.value, delta);
        other.index = __shfl_down_sync(0xffffffffu, best.index, delta);
        best = better(best, other);
    }
    return best;
}

__device__ void block_best(Best best, Best *__restrict__ partial) {
    __shared__ Best tile[256];
    tile[threadIdx.x] = warp_best(best);
    __syncthreads();
    if (threadIdx.x < 32) {
        Best of_warp = threadIdx.x < 8 ? tile[threadIdx.x * 32] : none();
        Best of_block = warp_best(of_warp);
        if (threadIdx.x == 0) partial[blockIdx.x] = of_block;
    }
}

extern "C" __global__ void argmax(const float4 *__restrict__ x, unsigned long long n, Best *__restrict__ partial) {
    Best best = none();
    unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        float4 v = x[i];
        float values[4] = {v.x, v.y, v.z, v.w};
        for (unsigned k = 0; k < 4; ++k)
            if (values[k] > best.value) best = Best{values[k], (unsigned)(4 * i + k)};
    }
    block_best(best, partial);
}

extern "C" __global__ void argmax_partial(const Best *__restrict__ x, unsigned long long n, Best *__restrict__ partial) {
    Best best = none();
    unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) best = better(best, x[i]);
    block_best(best, partial);
}
