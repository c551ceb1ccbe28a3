// A step of the modified Gram-Schmidt process: the norm of column `k`, the column normalised, and later columns made orthogonal to it.
extern "C" __global__ void gramschmidt_kernel1(const float *__restrict__ a, float *__restrict__ r, int k, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i != 0) return;
    float sum = 0.0f;
    for (int i = 0; i < n; i++) sum += a[i * n + k] * a[i * n + k];
    r[0] = sqrtf(sum);
}

extern "C" __global__ void gramschmidt_kernel2(const float *__restrict__ a, const float *__restrict__ r, float *__restrict__ q, int k, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) q[i] = a[i * n + k] / r[0];
}

extern "C" __global__ void gramschmidt_kernel3(const float *__restrict__ q, float *__restrict__ r, float *__restrict__ a, int k, int n) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j <= k || j >= n) return;
    float product = 0.0f;
    for (int i = 0; i < n; i++) product += q[i] * a[i * n + j];
    r[j] = product;
    for (int i = 0; i < n; i++) a[i * n + j] -= q[i] * product;
}
