// A recursive Gaussian filter: a thread per column of pixels, once down and once up.
__device__ inline float4 scaled(float s, float4 v) { return make_float4(s * v.x, s * v.y, s * v.z, s * v.w); }
__device__ inline float4 step(float a, float4 p, float b, float4 q, float b1, float4 y1, float b2, float4 y2) {
    return make_float4(a * p.x + b * q.x - b1 * y1.x - b2 * y2.x, a * p.y + b * q.y - b1 * y1.y - b2 * y2.y,
                       a * p.z + b * q.z - b1 * y1.z - b2 * y2.z, a * p.w + b * q.w - b1 * y1.w - b2 * y2.w);
}

extern "C" __global__ void recursive_gaussian_rgba(int width, int height, float a0, float a1, float a2, float a3, float b1, float b2, float first, float last,
                                                   const float4 *__restrict__ input, float4 *__restrict__ output) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    float4 before = input[x], y1 = scaled(first, before), y2 = y1;
    for (int y = 0; y < height; y++) {
        float4 here = input[y * width + x], now = step(a0, here, a1, before, b1, y1, b2, y2);
        output[y * width + x] = now;
        before = here;
        y2 = y1;
        y1 = now;
    }
    float4 after1 = input[(height - 1) * width + x], after2 = after1;
    y1 = scaled(last, after1);
    y2 = y1;
    for (int y = height - 1; y >= 0; y--) {
        float4 here = input[y * width + x], now = step(a2, after1, a3, after2, b1, y1, b2, y2);
        after2 = after1;
        after1 = here;
        y2 = y1;
        y1 = now;
        float4 down = output[y * width + x];
        output[y * width + x] = make_float4(down.x + now.x, down.y + now.y, down.z + now.z, down.w + now.w);
    }
}
