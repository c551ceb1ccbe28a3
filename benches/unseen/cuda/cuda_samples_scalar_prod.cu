// Dot products of many pairs of vectors: 1024 partial sums in shared memory, then a tree.
extern "C" __global__ void __launch_bounds__(256) scalar_prod(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ products, int length) {
    __shared__ float parts[1024];
    int thread = threadIdx.x, first = blockIdx.x * length;
    for (int part = thread; part < 1024; part += 256) {
        float sum = 0.0f;
        for (int at = part; at < length; at += 1024) sum += a[first + at] * b[first + at];
        parts[part] = sum;
    }
    __syncthreads();
    float sum = 0.0f;
    for (int part = thread; part < 1024; part += 256) sum += parts[part];
    __syncthreads();
    for (int stride = 128; stride > 0; stride /= 2) {
        parts[thread] = sum;
        __syncthreads();
        if (thread < stride) sum += parts[thread + stride];
        __syncthreads();
    }
    if (thread == 0) products[blockIdx.x] = sum;
}
