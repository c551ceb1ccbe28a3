// A step of Gaussian elimination: the multipliers of a column, then the rest of the matrix.
extern "C" __global__ void fan1(float *__restrict__ m, const float *__restrict__ a, int size, int t) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size - 1 - t) return;
    m[size * (i + t + 1) + t] = a[size * (i + t + 1) + t] / a[size * t + t];
}

extern "C" __global__ void fan2(const float *__restrict__ m, float *a, float *b, int size, int t) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size - 1 - t || y >= size - t) return;
    float multiplier = m[size * (x + t + 1) + t];
    a[size * (x + t + 1) + y + t] -= multiplier * a[size * t + y + t];
    if (y == 0) b[x + t + 1] -= multiplier * b[t];
}
