// A layer of a neural network forward, and the adjustment of its weights: 16 by 16 weights per block, of a matrix with 17 columns.
extern "C" __global__ void __launch_bounds__(256) layer_forward(const float *__restrict__ input, float *__restrict__ weights, unsigned len,
                                                                 float *__restrict__ partial) {
    __shared__ float node[16], matrix[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, by = blockIdx.y;
    unsigned index = 17 * (16 * by + ty + 1) + tx + 1;
    if (ty == 0) node[tx] = input[16 * by + tx + 1];
    __syncthreads();
    matrix[ty][tx] = weights[index] * node[ty];
    for (int level = 1; level <= 4; level++) {
        int step = 1 << level;
        __syncthreads();
        if (ty % step == 0) matrix[ty][tx] += matrix[ty + step / 2][tx];
    }
    __syncthreads();
    weights[index] = matrix[ty][tx];
    if (tx == 0) partial[by * 16 + ty] = matrix[0][ty];
}

extern "C" __global__ void __launch_bounds__(256) adjust_weights(const float *__restrict__ delta, const float *__restrict__ units, unsigned len,
                                                                  float *__restrict__ weights, float *__restrict__ old) {
    int tx = threadIdx.x, ty = threadIdx.y, by = blockIdx.y;
    int column = tx + 1, row = 16 * by + ty + 1;
    int index = row * 17 + column;
    float change = 0.3f * delta[column] * units[row] + 0.3f * old[index];
    weights[index] += change;
    old[index] = change;
    if (by == 0 && ty == 0) {
        change = 0.3f * delta[column] + 0.3f * old[column];
        weights[column] += change;
        old[column] = change;
    }
}
