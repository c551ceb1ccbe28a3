// The Hellinger distance of each row of a matrix to each column of another.
extern "C" __global__ void hellinger(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m, int n, int k) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= k || row >= m) return;
    float sum = 0;
    for (int i = 0; i < n; i++) sum += sqrtf(a[row * n + i] * b[i * k + column]);
    c[row * k + column] = sqrtf(fmaxf(1.0f - sum, 0.0f));
}
