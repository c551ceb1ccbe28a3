// The two products of the biconjugate gradient method: `s = Aᵀ r` and `q = A p`.
extern "C" __global__ void bicg_kernel1(const float *__restrict__ a, const float *__restrict__ r, float *__restrict__ s, int n, int m) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= m) return;
    float sum = 0.0f;
    for (int i = 0; i < n; i++) sum += r[i] * a[i * m + j];
    s[j] = sum;
}

extern "C" __global__ void bicg_kernel2(const float *__restrict__ a, const float *__restrict__ p, float *__restrict__ q, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int j = 0; j < m; j++) sum += a[i * m + j] * p[j];
    q[i] = sum;
}
