// One step of diffusion: each inner cell from itself and its four neighbours, cells at the border stay: the twin of `stencil_2d`.
extern "C" __global__ void stencil_2d(float centre, float side, const float *__restrict__ grid, float *__restrict__ out, unsigned width,
                                      unsigned height) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    size_t here = (size_t)y * width + x;
    if (x > 0 && x + 1 < width && y > 0 && y + 1 < height) {
        float around = grid[here - 1] + grid[here + 1] + grid[here - width] + grid[here + width];
        out[here] = centre * grid[here] + side * around;
    } else {
        out[here] = grid[here];
    }
}
