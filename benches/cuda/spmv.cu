// y = A * x, A in compressed sparse rows. One thread per row: the twin of `spmv_rows`.
extern "C" __global__ void spmv_rows(const unsigned *__restrict__ starts, const unsigned *__restrict__ columns, const float *__restrict__ values,
                                     const float *__restrict__ x, float *__restrict__ y, unsigned rows) {
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (unsigned at = starts[row]; at < starts[row + 1]; ++at) sum += values[at] * x[columns[at]];
        y[row] = sum;
    }
}

// One warp per row: the twin of `spmv_warps`.
extern "C" __global__ void spmv_warps(const unsigned *__restrict__ starts, const unsigned *__restrict__ columns, const float *__restrict__ values,
                                      const float *__restrict__ x, float *__restrict__ y, unsigned rows) {
    unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row < rows) {
        float sum = 0.0f;
        for (unsigned at = starts[row] + lane; at < starts[row + 1]; at += 32) sum += values[at] * x[columns[at]];
        for (int flip = 16; flip > 0; flip /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, flip);
        if (lane == 0) y[row] = sum;
    }
}
