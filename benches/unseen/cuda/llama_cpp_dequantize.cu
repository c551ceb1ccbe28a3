// Blocks of 32 weights with a scale of half precision become floats.
#include <cuda_fp16.h>

struct Q4 {
    __half scale;
    unsigned char quants[16];
};

struct Q8 {
    __half scale;
    signed char quants[32];
};

extern "C" __global__ void __launch_bounds__(256) dequantize_q4_0(const Q4 *__restrict__ blocks, float *__restrict__ weights, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int number = i / 16, k = i % 16;
    if (number >= n) return;
    float scale = __half2float(blocks[number].scale);
    int quant = blocks[number].quants[k];
    weights[number * 32 + k] = ((quant & 15) - 8) * scale;
    weights[number * 32 + k + 16] = ((quant >> 4) - 8) * scale;
}

extern "C" __global__ void __launch_bounds__(256) dequantize_q8_0(const Q8 *__restrict__ blocks, float *__restrict__ weights, int n) {
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n * 32) return;
    float scale = __half2float(blocks[i / 32].scale);
    for (int k = 0; k < 2; k++) weights[i + k] = blocks[i / 32].quants[i % 32 + k] * scale;
}
