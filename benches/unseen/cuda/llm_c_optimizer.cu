// A step of AdamW, and sums of columns.
__device__ float lerp(float a, float b, float t) { return fmaf(t, b, fmaf(-t, a, a)); }

extern "C" __global__ void adamw(float *__restrict__ parameters, const float *__restrict__ gradients, float *__restrict__ m_all, float *__restrict__ v_all,
                                 int n, float learning_rate, float beta1, float beta2, float correction1, float correction2, float eps, float decay) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float gradient = gradients[i], m = m_all[i], v = v_all[i];
    m = lerp(gradient, m, beta1);
    m_all[i] = m;
    v = lerp(gradient * gradient, v, beta2);
    v_all[i] = v;
    m /= correction1;
    v /= correction2;
    parameters[i] -= learning_rate * (m / (sqrtf(v) + eps) + decay * parameters[i]);
}

extern "C" __global__ void __launch_bounds__(256) sum_of_column(float *__restrict__ sums, const float *__restrict__ matrix, int rows, int columns) {
    __shared__ float tile[256];
    int column = blockIdx.x, thread = threadIdx.x;
    float own = 0.0f;
    for (int row = thread; row < rows; row += 256) own += matrix[row * columns + column];
    tile[thread] = own;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (thread < half) tile[thread] += tile[thread + half];
        __syncthreads();
    }
    if (thread == 0) sums[column] += tile[0];
}
