// One partial sum per block: a grid-stride loop, shuffles within each warp, then the first warp over one value per warp
// in shared memory: the twin of `sum`. Launched a second time with one block, it adds the partial sums.
__device__ float warp_sum(float value) {
    for (int delta = 16; delta > 0; delta /= 2) value += __shfl_down_sync(0xffffffffu, value, delta);
    return value;
}

extern "C" __global__ void sum(const float *__restrict__ x, unsigned long long n, float *__restrict__ partial) {
    __shared__ float tile[256];
    float total = 0.0f;
    unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) total += x[i];
    tile[threadIdx.x] = warp_sum(total);
    __syncthreads();
    if (threadIdx.x < 32) {
        float of_warp = threadIdx.x < 8 ? tile[threadIdx.x * 32] : 0.0f;
        float of_block = warp_sum(of_warp);
        if (threadIdx.x == 0) partial[blockIdx.x] = of_block;
    }
}
