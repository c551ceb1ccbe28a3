// How often each byte comes, four bytes in a word: the twins of `histogram_global` and `histogram_shared`.
extern "C" __global__ void histogram_global(const unsigned *__restrict__ words, unsigned long long n, unsigned *__restrict__ bins) {
    unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        unsigned word = words[i];
        for (unsigned k = 0; k < 4; ++k) atomicAdd(&bins[word >> 8 * k & 255], 1u);
    }
}

extern "C" __global__ void histogram_shared(const unsigned *__restrict__ words, unsigned long long n, unsigned *__restrict__ bins) {
    __shared__ unsigned own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        unsigned word = words[i];
        for (unsigned k = 0; k < 4; ++k) atomicAdd(&own[word >> 8 * k & 255], 1u);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
