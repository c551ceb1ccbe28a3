// Rows of 1024 floats, one block of 256 threads for two rows, four neighbours of each per thread: the second row is as far from the first as there are
// threads.

// Both values combined over the threads of the block, in each of them.
template <typename Combine> __device__ float2 over_block(float2 value, float2 *tile, Combine combine) {
    for (int flip = 16; flip > 0; flip /= 2) {
        value.x = combine(value.x, __shfl_xor_sync(0xffffffffu, value.x, flip));
        value.y = combine(value.y, __shfl_xor_sync(0xffffffffu, value.y, flip));
    }
    if (threadIdx.x % 32 == 0) tile[threadIdx.x / 32] = value;
    __syncthreads();
    value = tile[threadIdx.x % 8];
    __syncthreads();
    for (int flip = 4; flip > 0; flip /= 2) {
        value.x = combine(value.x, __shfl_xor_sync(0xffffffffu, value.x, flip));
        value.y = combine(value.y, __shfl_xor_sync(0xffffffffu, value.y, flip));
    }
    return value;
}

__device__ float most(float4 own) { return fmaxf(fmaxf(own.x, own.y), fmaxf(own.z, own.w)); }

__device__ float total(float4 own) { return own.x + own.y + own.z + own.w; }

__device__ float4 powers(float4 own, float most) {
    return make_float4(expf(own.x - most), expf(own.y - most), expf(own.z - most), expf(own.w - most));
}

__device__ float4 scaled(float4 own, float by) { return make_float4(own.x * by, own.y * by, own.z * by, own.w * by); }

// The twin of `softmax`.
extern "C" __global__ void softmax(const float4 *__restrict__ x, float4 *__restrict__ y, unsigned long long n) {
    __shared__ float2 tile[8];
    unsigned long long i = (unsigned long long)blockIdx.x * 256 + threadIdx.x, j = i + (unsigned long long)gridDim.x * 256;
    float4 a = x[i], b = x[j];
    float2 largest = over_block(make_float2(most(a), most(b)), tile, [](float a, float b) { return fmaxf(a, b); });
    a = powers(a, largest.x);
    b = powers(b, largest.y);
    float2 sum = over_block(make_float2(total(a), total(b)), tile, [](float a, float b) { return a + b; });
    a = scaled(a, 1.0f / sum.x);
    b = scaled(b, 1.0f / sum.y);
    if (i < n) y[i] = a;
    if (j < n) y[j] = b;
}

__device__ float4 away(float4 own, float mean) { return make_float4(own.x - mean, own.y - mean, own.z - mean, own.w - mean); }

__device__ float squares(float4 d) { return d.x * d.x + d.y * d.y + d.z * d.z + d.w * d.w; }

__device__ float4 normal(float4 d, float factor, float4 a, float4 b) {
    return make_float4(d.x * factor * a.x + b.x, d.y * factor * a.y + b.y, d.z * factor * a.z + b.z, d.w * factor * a.w + b.w);
}

// The twin of `layer_norm`.
extern "C" __global__ void layer_norm(const float4 *__restrict__ x, const float4 *__restrict__ scale, const float4 *__restrict__ shift,
                                      float4 *__restrict__ y, unsigned long long n) {
    __shared__ float2 tile[8];
    unsigned long long i = (unsigned long long)blockIdx.x * 256 + threadIdx.x, j = i + (unsigned long long)gridDim.x * 256;
    auto add = [](float a, float b) { return a + b; };
    float4 a = x[i], b = x[j];
    float2 sum = over_block(make_float2(total(a), total(b)), tile, add);
    a = away(a, sum.x / 1024.0f);
    b = away(b, sum.y / 1024.0f);
    float2 square = over_block(make_float2(squares(a), squares(b)), tile, add);
    float4 by = scale[threadIdx.x], plus = shift[threadIdx.x];
    a = normal(a, rsqrtf(square.x / 1024.0f + 1e-5f), by, plus);
    b = normal(b, rsqrtf(square.y / 1024.0f + 1e-5f), by, plus);
    if (i < n) y[i] = a;
    if (j < n) y[j] = b;
}
