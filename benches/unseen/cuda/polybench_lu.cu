// A step of LU decomposition in place: row `k` scaled, then the rest of the matrix updated.
extern "C" __global__ void lu_kernel1(float diagonal, float *__restrict__ row, int k, int n) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j > k && j < n) row[j] /= diagonal;
}

extern "C" __global__ void lu_kernel2(float *__restrict__ a, int k, int n) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i > k && j > k && i < n && j < n) a[i * n + j] -= a[i * n + k] * a[k * n + j];
}
