// Small tridiagonal systems, one per thread, side by side in memory.
const int SIZE = 64;

extern "C" __global__ void thomas(int n, const float *__restrict__ below, const float *__restrict__ diagonal, const float *__restrict__ above,
                                  const float *__restrict__ right, float *__restrict__ solution) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float factors[SIZE], values[SIZE];
    factors[0] = above[i] / diagonal[i];
    values[0] = right[i] / diagonal[i];
    for (int row = 1; row < SIZE; row++) {
        int at = row * n + i;
        float pivot = diagonal[at] - factors[row - 1] * below[at];
        factors[row] = above[at] / pivot;
        values[row] = (right[at] - values[row - 1] * below[at]) / pivot;
    }
    for (int row = SIZE - 2; row >= 0; row--) values[row] -= factors[row] * values[row + 1];
    for (int row = 0; row < SIZE; row++) solution[row * n + i] = values[row];
}
