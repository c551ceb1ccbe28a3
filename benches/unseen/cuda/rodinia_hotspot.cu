// The temperature of a chip: several steps on a tile whose valid part shrinks, in shared memory.
extern "C" __global__ void __launch_bounds__(256) calculate_temp(int iterations, int rows, int columns, float step_by_capacity, float along_x, float along_y,
                                                                  float along_z, const float *__restrict__ power, const float *__restrict__ source,
                                                                  float *__restrict__ target) {
    __shared__ float tile[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int step = 16 - 2 * iterations;
    int top = step * blockIdx.y - iterations, left = step * blockIdx.x - iterations;
    int y = top + ty, x = left + tx;
    int index = y * columns + x;
    float power_here = 0.0f;
    if (y >= 0 && y < rows && x >= 0 && x < columns) {
        tile[ty][tx] = source[index];
        power_here = power[index];
    }
    int min_y = max(-top, 0), max_y = min(rows - 1 - top, 15);
    int min_x = max(-left, 0), max_x = min(columns - 1 - left, 15);
    int north = max(ty - 1, min_y), south = min(ty + 1, max_y);
    int west = max(tx - 1, min_x), east = min(tx + 1, max_x);
    bool computed = false;
    float result = 0.0f;
    for (int i = 0; i < iterations; i++) {
        __syncthreads();
        computed = tx >= i + 1 && tx <= 14 - i && ty >= i + 1 && ty <= 14 - i && tx >= min_x && tx <= max_x && ty >= min_y && ty <= max_y;
        if (computed) {
            float here = tile[ty][tx];
            result = here + step_by_capacity * (power_here + (tile[south][tx] + tile[north][tx] - 2.0f * here) * along_y +
                                                (tile[ty][east] + tile[ty][west] - 2.0f * here) * along_x + (80.0f - here) * along_z);
        }
        __syncthreads();
        if (computed) tile[ty][tx] = result;
    }
    if (computed) target[index] = result;
}
