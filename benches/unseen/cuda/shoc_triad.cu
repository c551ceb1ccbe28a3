// STREAM's triad, c = a + s * b.
extern "C" __global__ void triad(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, float s, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + s * b[i];
}
