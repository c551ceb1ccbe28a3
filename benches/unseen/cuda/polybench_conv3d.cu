// A stencil of 11 weights in three dimensions; a thread per column of a plane, a launch per plane.
extern "C" __global__ void convolution3d(const float *__restrict__ a, float *__restrict__ b, int i, int n) {
    int k = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (j == 0 || k == 0 || j >= n - 1 || k >= n - 1) return;
#define CELL(plane, row, column) a[((plane) * n + (row)) * n + (column)]
    b[(i * n + j) * n + k] = 2.0f * CELL(i - 1, j - 1, k - 1) + 4.0f * CELL(i + 1, j - 1, k - 1) + 5.0f * CELL(i - 1, j - 1, k) +
                             7.0f * CELL(i + 1, j - 1, k) + -8.0f * CELL(i - 1, j, k) + 10.0f * CELL(i + 1, j, k) + -3.0f * CELL(i, j - 1, k) +
                             6.0f * CELL(i, j, k) + -9.0f * CELL(i, j + 1, k) + 11.0f * CELL(i - 1, j + 1, k + 1) +
                             13.0f * CELL(i + 1, j + 1, k + 1);
}
