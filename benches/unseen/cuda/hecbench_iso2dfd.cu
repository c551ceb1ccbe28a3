// A step of the wave equation in two dimensions.
extern "C" __global__ void __launch_bounds__(256)
    iso_2dfd(float *__restrict__ next, const float *__restrict__ previous, const float *__restrict__ velocity, float factor, int rows, int columns) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < 1 || x >= columns - 1 || y < 1 || y >= rows - 1) return;
    int at = y * columns + x;
    float value = previous[at + 1] - 2.0f * previous[at] + previous[at - 1];
    value += previous[at + columns] - 2.0f * previous[at] + previous[at - columns];
    value *= factor * velocity[at];
    next[at] = 2.0f * previous[at] - next[at] + value;
}
