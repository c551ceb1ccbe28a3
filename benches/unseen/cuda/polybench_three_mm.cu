// The kernel of three products of matrices (3mm), which the program launches three times.
extern "C" __global__ void mm3_kernel(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ e, int n) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
    e[i * n + j] = sum;
}
