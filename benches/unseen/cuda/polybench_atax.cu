// y = A^T (A x): a product with the rows, then one with the columns of the matrix.
extern "C" __global__ void atax_kernel1(const float *__restrict__ a, const float *__restrict__ x, float *__restrict__ tmp, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int j = 0; j < n; j++) sum += a[i * n + j] * x[j];
    tmp[i] = sum;
}

extern "C" __global__ void atax_kernel2(const float *__restrict__ a, const float *__restrict__ tmp, float *__restrict__ y, int n) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= n) return;
    float sum = 0.0f;
    for (int i = 0; i < n; i++) sum += a[i * n + j] * tmp[i];
    y[j] = sum;
}
