// A symmetric update of rank 2k: `C = alpha (A Bᵀ + B Aᵀ) + beta C`.
extern "C" __global__ void syr2k(float alpha, float beta, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n, int m) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;
    float sum = c[i * n + j] * beta;
    for (int k = 0; k < m; k++) sum += alpha * a[i * m + k] * b[j * m + k] + alpha * b[i * m + k] * a[j * m + k];
    c[i * n + j] = sum;
}
