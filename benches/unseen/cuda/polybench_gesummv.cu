// `y = alpha A x + beta B x`.
extern "C" __global__ void gesummv(float alpha, float beta, const float *__restrict__ a, const float *__restrict__ b, const float *__restrict__ x,
                                   float *__restrict__ y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float of_a = 0.0f, of_b = 0.0f;
    for (int j = 0; j < n; j++) {
        of_a += a[i * n + j] * x[j];
        of_b += b[i * n + j] * x[j];
    }
    y[i] = alpha * of_a + beta * of_b;
}
