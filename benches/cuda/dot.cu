// One partial product or sum per block with loads of sixteen bytes: the twins of `dot` and `sum_float4`; `sum` adds what they leave.
__device__ float warp_sum(float value) {
    for (int delta = 16; delta > 0; delta /= 2) value += __shfl_down_sync(0xffffffffu, value, delta);
    return value;
}

__device__ void block_sum(float total, float *__restrict__ partial) {
    __shared__ float tile[256];
    tile[threadIdx.x] = warp_sum(total);
    __syncthreads();
    if (threadIdx.x < 32) {
        float of_warp = threadIdx.x < 8 ? tile[threadIdx.x * 32] : 0.0f;
        float of_block = warp_sum(of_warp);
        if (threadIdx.x == 0) partial[blockIdx.x] = of_block;
    }
}

extern "C" __global__ void dot(const float4 *__restrict__ x, const float4 *__restrict__ y, unsigned long long n, float *__restrict__ partial) {
    float total = 0.0f;
    unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        float4 v = x[i], w = y[i];
        total += v.x * w.x;
        total += v.y * w.y;
        total += v.z * w.z;
        total += v.w * w.w;
    }
    block_sum(total, partial);
}

extern "C" __global__ void sum_float4(const float4 *__restrict__ x, unsigned long long n, float *__restrict__ partial) {
    float total = 0.0f;
    unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        float4 v = x[i];
        total += (v.x + v.y) + (v.z + v.w);
    }
    block_sum(total, partial);
}

extern "C" __global__ void sum(const float *__restrict__ x, unsigned long long n, float *__restrict__ partial) {
    float total = 0.0f;
    unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) total += x[i];
    block_sum(total, partial);
}
