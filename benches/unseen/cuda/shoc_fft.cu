// Transforms of 512 complex numbers: three passes of radix 8, exchanged through shared memory.
__device__ inline float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ inline float2 operator-(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ inline float2 operator*(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ inline float2 quarter(float2 a) { return make_float2(a.y, -a.x); }

__device__ inline void fft2(float2 &a, float2 &b) {
    float2 sum = a + b;
    b = a - b;
    a = sum;
}

__device__ inline void fft4(float2 &a, float2 &b, float2 &c, float2 &d) {
    fft2(a, c);
    fft2(b, d);
    d = quarter(d);
    fft2(a, b);
    fft2(c, d);
}

__device__ inline void fft8(float2 *a) {
    const float half = 0.70710678f;
    for (int k = 0; k < 4; k++) fft2(a[k], a[k + 4]);
    a[5] = a[5] * make_float2(half, -half);
    a[6] = quarter(a[6]);
    a[7] = a[7] * make_float2(-half, -half);
    fft4(a[0], a[1], a[2], a[3]);
    fft4(a[4], a[5], a[6], a[7]);
}

#define REVERSED(k) (((k) & 1) << 2 | ((k) & 2) | ((k) & 4) >> 2)

__device__ inline void twiddle8(float2 *a, float angle) {
#pragma unroll
    for (int k = 1; k < 8; k++) {
        float2 turn;
        sincosf(angle * k, &turn.y, &turn.x);
        a[REVERSED(k)] = a[REVERSED(k)] * turn;
    }
}

__device__ inline void exchange(float2 *a, float *shared, int to, int to_step, int from, int from_step) {
    float2 read[8];
#pragma unroll
    for (int k = 0; k < 8; k++) shared[to + k * to_step] = a[REVERSED(k)].x;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++) read[k].x = shared[from + k * from_step];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++) shared[to + k * to_step] = a[REVERSED(k)].y;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++) read[k].y = shared[from + k * from_step];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++) a[k] = read[k];
}

extern "C" __global__ void __launch_bounds__(64) fft512(float2 *__restrict__ work) {
    __shared__ float shared[512 + 64];
    int thread = threadIdx.x, first = blockIdx.x * 512, high = thread >> 3, low = thread & 7;
    const float full = -6.28318530718f;
    float2 a[8];
#pragma unroll
    for (int k = 0; k < 8; k++) a[k] = work[first + thread + 64 * k];
    fft8(a);
    twiddle8(a, full / 512.0f * thread);
    exchange(a, shared, thread, 66, high * 66 + low, 8);
    fft8(a);
    twiddle8(a, full / 64.0f * low);
    exchange(a, shared, high * 72 + low, 8, low * 72 + high * 8, 1);
    fft8(a);
#pragma unroll
    for (int k = 0; k < 8; k++) work[first + thread + 64 * k] = a[REVERSED(k)];
}
