// The sum of a vector: two elements per thread, then a tree in shared memory.
extern "C" __global__ void __launch_bounds__(256) reduce3(const float *__restrict__ input, float *__restrict__ sums, unsigned n) {
    __shared__ float tile[256];
    unsigned thread = threadIdx.x, at = blockIdx.x * 512 + threadIdx.x;
    float sum = at < n ? input[at] : 0.0f;
    if (at + 256 < n) sum += input[at + 256];
    tile[thread] = sum;
    __syncthreads();
    for (unsigned stride = 128; stride > 0; stride >>= 1) {
        if (thread < stride) tile[thread] = sum = sum + tile[thread + stride];
        __syncthreads();
    }
    if (thread == 0) sums[blockIdx.x] = sum;
}
