// The correlation of the columns of a table: means, deviations, standard scores, and the matrix.
extern "C" __global__ void mean_kernel(const float *__restrict__ data, float *__restrict__ mean, int m, int n) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= m) return;
    float sum = 0.0f;
    for (int i = 0; i < n; i++) sum += data[i * m + j];
    mean[j] = sum / (float)n;
}

extern "C" __global__ void std_kernel(const float *__restrict__ data, const float *__restrict__ mean, float *__restrict__ std, int m, int n) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= m) return;
    float sum = 0.0f;
    for (int i = 0; i < n; i++) sum += (data[i * m + j] - mean[j]) * (data[i * m + j] - mean[j]);
    float deviation = sqrtf(sum / (float)n);
    std[j] = deviation <= 0.005f ? 1.0f : deviation;
}

extern "C" __global__ void reduce_kernel(const float *__restrict__ mean, const float *__restrict__ std, float *__restrict__ data, int m, int n) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= m) return;
    data[i * m + j] -= mean[j];
    data[i * m + j] /= sqrtf((float)n) * std[j];
}

extern "C" __global__ void corr_kernel(const float *__restrict__ data, float *__restrict__ corr, int m, int n) {
    int j1 = blockIdx.x * blockDim.x + threadIdx.x;
    if (j1 >= m) return;
    corr[j1 * m + j1] = 1.0f;
    for (int j2 = j1 + 1; j2 < m; j2++) {
        float sum = 0.0f;
        for (int i = 0; i < n; i++) sum += data[i * m + j1] * data[i * m + j2];
        corr[j1 * m + j2] = sum;
        corr[j2 * m + j1] = sum;
    }
}
