// Rows of 1024 floats, one block of 256 threads per row, four neighbours per thread.

// `value` combined over the threads of the block, in each of them.
template <typename Combine> __device__ float over_block(float value, float *tile, Combine combine) {
    for (int flip = 16; flip > 0; flip /= 2) value = combine(value, __shfl_xor_sync(0xffffffffu, value, flip));
    if (threadIdx.x % 32 == 0) tile[threadIdx.x / 32] = value;
    __syncthreads();
    value = tile[threadIdx.x % 8];
    __syncthreads();
    for (int flip = 4; flip > 0; flip /= 2) value = combine(value, __shfl_xor_sync(0xffffffffu, value, flip));
    return value;
}

// The twin of `softmax`.
extern "C" __global__ void softmax(const float4 *__restrict__ x, float4 *__restrict__ y, unsigned long long n) {
    __shared__ float tile[8];
    unsigned long long i = (unsigned long long)blockIdx.x * 256 + threadIdx.x;
    float4 own = x[i];
    float most = fmaxf(fmaxf(own.x, own.y), fmaxf(own.z, own.w));
    most = over_block(most, tile, [](float a, float b) { return fmaxf(a, b); });
    float4 powers = make_float4(expf(own.x - most), expf(own.y - most), expf(own.z - most), expf(own.w - most));
    float sum = over_block(powers.x + powers.y + powers.z + powers.w, tile, [](float a, float b) { return a + b; });
    float scale = 1.0f / sum;
    if (i < n) y[i] = make_float4(powers.x * scale, powers.y * scale, powers.z * scale, powers.w * scale);
}

// The twin of `layer_norm`.
extern "C" __global__ void layer_norm(const float4 *__restrict__ x, const float4 *__restrict__ scale, const float4 *__restrict__ shift,
                                      float4 *__restrict__ y, unsigned long long n) {
    __shared__ float tile[8];
    unsigned long long i = (unsigned long long)blockIdx.x * 256 + threadIdx.x;
    auto add = [](float a, float b) { return a + b; };
    float4 own = x[i];
    float mean = over_block(own.x + own.y + own.z + own.w, tile, add) / 1024.0f;
    float4 away = make_float4(own.x - mean, own.y - mean, own.z - mean, own.w - mean);
    float squares = over_block(away.x * away.x + away.y * away.y + away.z * away.z + away.w * away.w, tile, add);
    float factor = rsqrtf(squares / 1024.0f + 1e-5f);
    float4 a = scale[threadIdx.x], b = shift[threadIdx.x];
    if (i < n)
        y[i] = make_float4(away.x * factor * a.x + b.x, away.y * factor * a.y + b.y, away.z * factor * a.z + b.z, away.w * factor * a.w + b.w);
}
