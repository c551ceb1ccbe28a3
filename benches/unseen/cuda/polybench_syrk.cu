// A symmetric update of rank k: `C = alpha A Aᵀ + beta C`.
extern "C" __global__ void syrk(float alpha, float beta, const float *__restrict__ a, float *__restrict__ c, int n, int m) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;
    c[i * n + j] *= beta;
    for (int k = 0; k < m; k++) c[i * n + j] += alpha * a[i * m + k] * a[j * m + k];
}
