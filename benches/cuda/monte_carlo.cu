// The mean payoff of a call over random prices: Philox 4x32-10 for the bits, Box and Muller for the normal numbers, one sum per block:
// the twin of `monte_carlo`.
__device__ uint4 philox(uint4 counter, uint2 key) {
    for (int round = 0; round < 10; ++round) {
        unsigned low = 0xd2511f53u * counter.x, low_high = __umulhi(0xd2511f53u, counter.x);
        unsigned high = 0xcd9e8d57u * counter.z, high_high = __umulhi(0xcd9e8d57u, counter.z);
        counter = make_uint4(high_high ^ counter.y ^ key.x, high, low_high ^ counter.w ^ key.y, low);
        key = make_uint2(key.x + 0x9e3779b9u, key.y + 0xbb67ae85u);
    }
    return counter;
}

// In the open interval from 0 to 1.
__device__ float uniform(unsigned bits) { return ((bits >> 8) + 0.5f) / 16777216.0f; }

__device__ float payoffs(unsigned first, unsigned second, float spot, float strike, float drift, float spread) {
    float radius = sqrtf(-2.0f * logf(uniform(first)));
    float sine, cosine;
    sincosf(6.2831855f * uniform(second), &sine, &cosine);
    float up = spot * expf(drift + spread * (radius * sine)), down = spot * expf(drift + spread * (radius * cosine));
    return fmaxf(up - strike, 0.0f) + fmaxf(down - strike, 0.0f);
}

extern "C" __global__ void monte_carlo(unsigned rounds, float spot, float strike, float drift, float spread, float *__restrict__ partial) {
    __shared__ float tile[8];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (unsigned round = 0; round < rounds; ++round) {
        uint4 bits = philox(make_uint4(i, round, 0, 0), make_uint2(2026, 11));
        sum += payoffs(bits.x, bits.y, spot, strike, drift, spread);
        sum += payoffs(bits.z, bits.w, spot, strike, drift, spread);
    }
    for (int flip = 16; flip > 0; flip /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, flip);
    if (threadIdx.x % 32 == 0) tile[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        float total = 0.0f;
        for (int warp = 0; warp < 8; ++warp) total += tile[warp];
        partial[blockIdx.x] = total;
    }
}
