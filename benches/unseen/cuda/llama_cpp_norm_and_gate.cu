// Normalisation of rows by their mean square, a block per row; SiLU times a gate.
extern "C" __global__ void __launch_bounds__(256) rms_norm(const float *__restrict__ x, float *__restrict__ y, int columns) {
    __shared__ float sums[256];
    int row = blockIdx.x, thread = threadIdx.x;
    float sum = 0.0f;
    for (int c = thread; c < columns; c += 256) sum += x[row * columns + c] * x[row * columns + c];
    sums[thread] = sum;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (thread < half) sums[thread] += sums[thread + half];
        __syncthreads();
    }
    float factor = rsqrtf(sums[0] / columns + 1e-6f);
    for (int c = thread; c < columns; c += 256) y[row * columns + c] = factor * x[row * columns + c];
}

extern "C" __global__ void silu_mul(const float *__restrict__ x, const float *__restrict__ gate, float *__restrict__ y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] / (1.0f + expf(-x[i])) * gate[i];
}
