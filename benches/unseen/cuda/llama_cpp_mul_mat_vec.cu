// A matrix of weights of four bits by a vector, a warp per row.
#include <cuda_fp16.h>

struct Q4 {
    __half scale;
    unsigned char quants[16];
};

extern "C" __global__ void mul_mat_vec_q4_0(const Q4 *__restrict__ matrix, const float *__restrict__ x, float *__restrict__ y, int columns, int rows) {
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    int blocks = columns / 32, k = lane % 16;
    float sum = 0.0f;
    for (int b = lane / 16; b < blocks; b += 2) {
        float scale = __half2float(matrix[row * blocks + b].scale);
        int quant = matrix[row * blocks + b].quants[k];
        sum += ((quant & 15) - 8) * scale * x[b * 32 + k] + ((quant >> 4) - 8) * scale * x[b * 32 + k + 16];
    }
    for (int flip = 16; flip > 0; flip /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, flip);
    if (lane == 0) y[row] = sum;
}
