// Floats become bytes with a scale and a sum for each 32; softmax with a mask, a block per row.
extern "C" __global__ void __launch_bounds__(256) quantize_q8_1(const float *__restrict__ x, signed char *__restrict__ quants, float *__restrict__ scales,
                                                                 float *__restrict__ sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i < n ? x[i] : 0.0f, largest = fabsf(value), sum = value;
    for (int flip = 16; flip > 0; flip /= 2) {
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, flip));
        sum += __shfl_xor_sync(0xffffffffu, sum, flip);
    }
    if (i >= n) return;
    float scale = largest / 127.0f;
    quants[i] = largest == 0.0f ? 0 : (signed char)roundf(value / scale);
    if (i % 32 == 0) {
        scales[i / 32] = scale;
        sums[i / 32] = sum;
    }
}

// A value of each thread, combined over the block.
template <typename Combine> __device__ float over_block(float value, float *warps, Combine combine) {
    for (int flip = 16; flip > 0; flip /= 2) value = combine(value, __shfl_xor_sync(0xffffffffu, value, flip));
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = warps[threadIdx.x % 8];
    for (int flip = 4; flip > 0; flip /= 2) value = combine(value, __shfl_xor_sync(0xffffffffu, value, flip));
    __syncthreads();
    return value;
}

extern "C" __global__ void __launch_bounds__(256) soft_max(const float *__restrict__ x, const float *__restrict__ mask, float *__restrict__ y, int columns,
                                                            int mask_rows, float scale) {
    __shared__ float warps[8];
    const float *row = x + blockIdx.x * columns, *row_of_mask = mask + blockIdx.x % mask_rows * columns;
    float largest = -__int_as_float(0x7f800000);
    for (int c = threadIdx.x; c < columns; c += 256) largest = fmaxf(largest, row[c] * scale + row_of_mask[c]);
    largest = over_block(largest, warps, [](float a, float b) { return fmaxf(a, b); });
    float sum = 0.0f;
    for (int c = threadIdx.x; c < columns; c += 256) sum += expf(row[c] * scale + row_of_mask[c] - largest);
    float factor = 1.0f / over_block(sum, warps, [](float a, float b) { return a + b; });
    for (int c = threadIdx.x; c < columns; c += 256) y[blockIdx.x * columns + c] = expf(row[c] * scale + row_of_mask[c] - largest) * factor;
}
