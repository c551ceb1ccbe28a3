// Softmax of the part of each row up to the diagonal, a warp per row.
extern "C" __global__ void softmax_autoregressive(float *__restrict__ output, float scale, const float *__restrict__ input, int matrices, int time) {
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= matrices * time) return;
    int own_position = row % time;
    const float *x = input + row * time;
    float largest = -3.40282347e38f, sum = 0.0f;
    for (int c = lane; c <= own_position; c += 32) {
        float before = largest;
        largest = fmaxf(largest, x[c]);
        sum = sum * expf(scale * (before - largest)) + expf(scale * (x[c] - largest));
    }
    float of_row = largest;
    for (int flip = 16; flip > 0; flip /= 2) of_row = fmaxf(of_row, __shfl_xor_sync(0xffffffffu, of_row, flip));
    sum *= expf(scale * (largest - of_row));
    for (int flip = 16; flip > 0; flip /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, flip);
    float factor = 1.0f / sum;
    for (int c = lane; c <= own_position; c += 32) output[row * time + c] = expf(scale * (x[c] - of_row)) * factor;
}
