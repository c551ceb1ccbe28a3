// A matrix with two outer products added, and two products with it.
extern "C" __global__ void gemver_kernel1(const float *__restrict__ v1, const float *__restrict__ v2, const float *__restrict__ u1,
                                          const float *__restrict__ u2, float *__restrict__ a, int n) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) a[i * n + j] += u1[i] * v1[j] + u2[i] * v2[j];
}

extern "C" __global__ void gemver_kernel2(float beta, const float *__restrict__ a, const float *__restrict__ y, const float *__restrict__ z,
                                          float *__restrict__ x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int j = 0; j < n; j++) x[i] += beta * a[j * n + i] * y[j];
    x[i] += z[i];
}

extern "C" __global__ void gemver_kernel3(float alpha, const float *__restrict__ a, const float *__restrict__ x, float *__restrict__ w, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int j = 0; j < n; j++) w[i] += alpha * a[i * n + j] * x[j];
}
