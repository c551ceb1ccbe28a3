// The fast Walsh transform in place: radix 4 in global memory, the last steps in shared memory; and the product of two transforms.
extern "C" __global__ void fwt_batch2(float *__restrict__ data, int stride, int n) {
    int position = blockIdx.x * blockDim.x + threadIdx.x;
    if (position >= n / 4) return;
    int low = position & (stride - 1);
    int i0 = ((position - low) << 2) + low, i1 = i0 + stride, i2 = i1 + stride, i3 = i2 + stride;
    float d0 = data[i0], d1 = data[i1], d2 = data[i2], d3 = data[i3];
    float s0 = d0 + d2, s1 = d1 + d3, t0 = d0 - d2, t1 = d1 - d3;
    data[i0] = s0 + s1;
    data[i1] = s0 - s1;
    data[i2] = t0 + t1;
    data[i3] = t0 - t1;
}

extern "C" __global__ void __launch_bounds__(512) fwt_batch1(float *__restrict__ data) {
    __shared__ float shared[2048];
    int thread = threadIdx.x, first = blockIdx.x * 2048;
    for (int at = thread; at < 2048; at += 512) shared[at] = data[first + at];
    for (int stride = 512; stride > 1; stride >>= 2) {
        __syncthreads();
        int low = thread & (stride - 1);
        int i0 = ((thread - low) << 2) + low, i1 = i0 + stride, i2 = i1 + stride, i3 = i2 + stride;
        float d0 = shared[i0], d1 = shared[i1], d2 = shared[i2], d3 = shared[i3];
        float s0 = d0 + d2, s1 = d1 + d3, t0 = d0 - d2, t1 = d1 - d3;
        shared[i0] = s0 + s1;
        shared[i1] = s0 - s1;
        shared[i2] = t0 + t1;
        shared[i3] = t0 - t1;
    }
    __syncthreads();
    for (int pair = thread; pair < 1024; pair += 512) {
        float d0 = shared[2 * pair], d1 = shared[2 * pair + 1];
        shared[2 * pair] = d0 + d1;
        shared[2 * pair + 1] = d0 - d1;
    }
    __syncthreads();
    for (int at = thread; at < 2048; at += 512) data[first + at] = shared[at];
}

extern "C" __global__ void modulate(const float *__restrict__ b, float *__restrict__ a, int n) {
    float scale = 1.0f / n;
    for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < n; at += gridDim.x * blockDim.x) a[at] *= b[at] * scale;
}
