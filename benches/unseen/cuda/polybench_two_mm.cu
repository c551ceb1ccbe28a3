// Two products of matrices in a row (2mm): `D = alpha A B C + beta D`.
extern "C" __global__ void mm2_kernel1(float alpha, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ tmp, int n) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;
    tmp[i * n + j] = 0.0f;
    for (int k = 0; k < n; k++) tmp[i * n + j] += alpha * a[i * n + k] * b[k * n + j];
}

extern "C" __global__ void mm2_kernel2(float beta, const float *__restrict__ tmp, const float *__restrict__ c, float *__restrict__ d, int n) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;
    d[i * n + j] *= beta;
    for (int k = 0; k < n; k++) d[i * n + j] += tmp[i * n + k] * c[k * n + j];
}
