// Normal numbers from quasi-random integers, by a rational approximation of the inverse distribution.
__device__ inline float inverse_normal(unsigned x) {
    bool negative = x >= 0x80000000u;
    if (negative) x = 0xffffffffu - x;
    float p = x * (1.0f / 4294967296.0f) + 1.0f / 8589934592.0f, y = 0.5f - p, z;
    if (y < 0.42f) {
        z = y * y;
        z = y * (((-25.44106f * z + 41.391196f) * z - 18.61500f) * z + 2.5066283f) /
            ((((3.130829f * z - 21.062241f) * z + 23.083367f) * z - 8.473511f) * z + 1.0f);
    } else {
        z = logf(-logf(p));
        z = 0.33747548f +
            z * (0.9761690f +
                 z * (0.16079797f +
                      z * (2.764388e-2f +
                           z * (3.840573e-3f + z * (3.951897e-4f + z * (3.21768e-5f + z * (2.888167e-7f + z * 3.960315e-7f)))))));
    }
    return negative ? z : -z;
}

extern "C" __global__ void inverse_cnd(const unsigned *__restrict__ input, float *__restrict__ output, unsigned n) {
    for (unsigned at = blockIdx.x * blockDim.x + threadIdx.x; at < n; at += gridDim.x * blockDim.x) output[at] = inverse_normal(input[at]);
}
