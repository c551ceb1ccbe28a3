// Acceleration of each body by all bodies, 256 of them at a time in shared memory; precise square root and division, as in
// the twin `nbody`. `n` is a multiple of 256.
extern "C" __global__ void nbody(const float4 *__restrict__ bodies, unsigned long long n, float softening, float4 *__restrict__ acceleration) {
    __shared__ float4 tile[256];
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    float4 own = bodies[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (unsigned long long start = 0; start < n; start += 256) {
        tile[threadIdx.x] = bodies[start + threadIdx.x];
        __syncthreads();
        for (unsigned k = 0; k < 256; ++k) {
            float4 other = tile[k];
            float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
            float squared = dx * dx + dy * dy + dz * dz + softening;
            float inverse = 1.0f / sqrtf(squared);
            float pull = other.w * inverse * inverse * inverse;
            ax += pull * dx;
            ay += pull * dy;
            az += pull * dz;
        }
        __syncthreads();
    }
    acceleration[i] = make_float4(ax, ay, az, 0.0f);
}
