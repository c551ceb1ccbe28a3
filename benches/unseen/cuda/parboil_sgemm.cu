// A product of matrices by columns (base version): a thread per element, `C = alpha A Bᵀ + beta C`.
extern "C" __global__ void mysgemm_nt(float alpha, float beta, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m, int n, int k) {
    int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) return;
    float sum = 0.0f;
    for (int i = 0; i < k; i++) sum += a[i * m + row] * b[i * n + column];
    c[column * m + row] = c[column * m + row] * beta + alpha * sum;
}
