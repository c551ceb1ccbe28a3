// Four numbers per thread: the twins of `scale`, `add` and `triad`.
extern "C" __global__ void scale(float a, const float4 *__restrict__ x, float4 *__restrict__ y, unsigned long long n) {
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 v = x[i];
        y[i] = make_float4(a * v.x, a * v.y, a * v.z, a * v.w);
    }
}

extern "C" __global__ void add(const float4 *__restrict__ x, const float4 *__restrict__ y, float4 *__restrict__ z, unsigned long long n) {
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 v = x[i], w = y[i];
        z[i] = make_float4(v.x + w.x, v.y + w.y, v.z + w.z, v.w + w.w);
    }
}

extern "C" __global__ void triad(float a, const float4 *__restrict__ x, const float4 *__restrict__ y, float4 *__restrict__ z,
                                 unsigned long long n) {
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 v = x[i], w = y[i];
        z[i] = make_float4(v.x + a * w.x, v.y + a * w.y, v.z + a * w.z, v.w + a * w.w);
    }
}
