// Sweeps of the alternating direction implicit method: along rows by a thread per row, along columns by a thread per column.
extern "C" __global__ void adi_kernel1(const float *__restrict__ a, float *__restrict__ b, float *__restrict__ x, int n) {
    int i1 = blockIdx.x * blockDim.x + threadIdx.x;
    if (i1 >= n) return;
    for (int i2 = 1; i2 < n; i2++) {
        x[i1 * n + i2] -= x[i1 * n + i2 - 1] * a[i1 * n + i2] / b[i1 * n + i2 - 1];
        b[i1 * n + i2] -= a[i1 * n + i2] * a[i1 * n + i2] / b[i1 * n + i2 - 1];
    }
}

extern "C" __global__ void adi_kernel4(const float *__restrict__ a, float *__restrict__ b, float *__restrict__ x, int n) {
    int i2 = blockIdx.x * blockDim.x + threadIdx.x;
    if (i2 >= n) return;
    for (int i1 = 1; i1 < n; i1++) {
        x[i1 * n + i2] -= x[(i1 - 1) * n + i2] * a[i1 * n + i2] / b[(i1 - 1) * n + i2];
        b[i1 * n + i2] -= a[i1 * n + i2] * a[i1 * n + i2] / b[(i1 - 1) * n + i2];
    }
}
