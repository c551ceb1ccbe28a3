// The sums of squares of the columns of a matrix, by atomics.
extern "C" __global__ void __launch_bounds__(256) sum_of_squares(float *__restrict__ sums, const float *__restrict__ data, int columns, int rows) {
    __shared__ float all[32];
    int t = threadIdx.x, column = blockIdx.y * 32 + t % 32, stride = 8 * gridDim.x;
    float sum = 0;
    for (int row = blockIdx.x * 8 + t / 32; row < rows; row += stride) {
        float x = column < columns ? data[row * columns + column] : 0.0f;
        sum += x * x;
    }
    if (t < 32) all[t] = 0;
    __syncthreads();
    atomicAdd(all + t % 32, sum);
    __syncthreads();
    if (t < 32) atomicAdd(sums + column, all[t]);
}
