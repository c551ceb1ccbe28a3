// A histogram of bytes: each block counts in shared memory, a second kernel adds the blocks' counts.
extern "C" __global__ void __launch_bounds__(256) histogram256(const unsigned *__restrict__ data, unsigned *__restrict__ partial, int n) {
    __shared__ unsigned counts[256];
    counts[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned word = data[i];
        for (int k = 0; k < 4; k++) atomicAdd(&counts[(word >> (8 * k)) & 255], 1u);
    }
    __syncthreads();
    partial[blockIdx.x * 256 + threadIdx.x] = counts[threadIdx.x];
}

extern "C" __global__ void __launch_bounds__(256) merge_histogram256(const unsigned *__restrict__ partial, unsigned *__restrict__ histogram, int blocks) {
    __shared__ unsigned sums[256];
    unsigned sum = 0;
    for (int i = threadIdx.x; i < blocks; i += 256) sum += partial[i * 256 + blockIdx.x];
    for (int stride = 128; stride > 0; stride /= 2) {
        sums[threadIdx.x] = sum;
        __syncthreads();
        if (threadIdx.x < stride) sum += sums[threadIdx.x + stride];
        __syncthreads();
    }
    if (threadIdx.x == 0) histogram[blockIdx.x] = sum;
}
