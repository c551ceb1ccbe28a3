// A seven-point stencil in three dimensions, a thread per column of cells (base version: a thread per cell).
extern "C" __global__ void naive_stencil(const float *__restrict__ a, float *__restrict__ next, int nx, int ny, int nz) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y + 1, k = blockIdx.z + 1;
    if (i == 0 || i >= nx - 1 || j >= ny - 1 || k >= nz - 1) return;
#define PLACE(x, y, z) ((x) + nx * ((y) + ny * (z)))
    next[PLACE(i, j, k)] = (a[PLACE(i, j, k + 1)] + a[PLACE(i, j, k - 1)] + a[PLACE(i, j + 1, k)] + a[PLACE(i, j - 1, k)] + a[PLACE(i + 1, j, k)] +
                            a[PLACE(i - 1, j, k)]) * (1.0f / 36.0f) -
                           a[PLACE(i, j, k)] * (1.0f / 6.0f);
}
