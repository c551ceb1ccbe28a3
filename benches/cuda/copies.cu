// Copies by kernels, one element per thread: the twins of `copy`, `copy_float4` and `copy_strided`.
extern "C" __global__ void copy(const float *__restrict__ x, float *__restrict__ y, unsigned long long n) {
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i];
}

extern "C" __global__ void copy_float4(const float4 *__restrict__ x, float4 *__restrict__ y, unsigned long long n) {
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i];
}

extern "C" __global__ void copy_strided(unsigned stride, const float *__restrict__ x, float *__restrict__ y, unsigned long long n) {
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i * stride];
}
