// A convolution with 17 weights along rows, then along columns, through tiles in shared memory.
#define RADIUS 8
#define STEPS 8
extern "C" __global__ void __launch_bounds__(64) convolution_rows(const float *__restrict__ weights, const float *__restrict__ input, float *__restrict__ output, int width) {
    __shared__ float tile[4][(STEPS + 2) * 16];
    int x = threadIdx.x, y = threadIdx.y, first_x = blockIdx.x * STEPS * 16, row = blockIdx.y * 4 + y;
#pragma unroll
    for (int step = 0; step < STEPS + 2; step++) {
        int column = first_x + (step - 1) * 16 + x;
        tile[y][step * 16 + x] = column >= 0 && column < width ? input[row * width + column] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int step = 0; step < STEPS; step++) {
        float sum = 0.0f;
#pragma unroll
        for (int k = -RADIUS; k <= RADIUS; k++) sum += weights[RADIUS - k] * tile[y][x + (step + 1) * 16 + k];
        output[row * width + first_x + step * 16 + x] = sum;
    }
}

extern "C" __global__ void __launch_bounds__(128) convolution_columns(const float *__restrict__ weights, const float *__restrict__ input, float *__restrict__ output, int width,
                                               int height) {
    __shared__ float tile[(STEPS + 2) * 8][16];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 16 + x, first_y = blockIdx.y * STEPS * 8;
#pragma unroll
    for (int step = 0; step < STEPS + 2; step++) {
        int row = first_y + (step - 1) * 8 + y;
        tile[step * 8 + y][x] = row >= 0 && row < height ? input[row * width + column] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int step = 0; step < STEPS; step++) {
        float sum = 0.0f;
#pragma unroll
        for (int k = -RADIUS; k <= RADIUS; k++) sum += weights[RADIUS - k] * tile[y + (step + 1) * 8 + k][x];
        output[(first_y + step * 8 + y) * width + column] = sum;
    }
}
