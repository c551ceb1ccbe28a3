// Softmax of rows, one row per thread.
const int SLICE = 96;

extern "C" __global__ void __launch_bounds__(128) softmax(const float *__restrict__ input, float *__restrict__ output, int rows, int) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows) return;
    const float *row = input + i * SLICE;
    float *result = output + i * SLICE;
    float largest = -3.40282347e38f;
    for (int k = 0; k < SLICE; k++) largest = fmaxf(largest, row[k]);
    float sum = 0.0f;
    for (int k = 0; k < SLICE; k++) sum += expf(row[k] - largest);
    for (int k = 0; k < SLICE; k++) result[k] = expf(row[k] - largest) / sum;
}
