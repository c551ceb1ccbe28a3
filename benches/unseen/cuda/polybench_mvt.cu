// `x1 += A y1` and `x2 += Aᵀ y2`.
extern "C" __global__ void mvt_kernel1(const float *__restrict__ a, const float *__restrict__ y, float *__restrict__ x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int j = 0; j < n; j++) x[i] += a[i * n + j] * y[j];
}

extern "C" __global__ void mvt_kernel2(const float *__restrict__ a, const float *__restrict__ y, float *__restrict__ x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int j = 0; j < n; j++) x[i] += a[j * n + i] * y[j];
}
