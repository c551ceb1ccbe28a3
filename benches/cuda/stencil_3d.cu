// The step of diffusion in three dimensions, plane by plane: the launch has one thread per cell of a plane, which keeps the values
// below, here and above in registers: the twin of `stencil_3d`.
extern "C" __global__ void stencil_3d(unsigned width, unsigned height, unsigned depth, float centre, float side,
                                      const float *__restrict__ grid, float *__restrict__ out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = i % width, y = i / width;
    size_t plane = (size_t)width * height, at = i;
    if (x == 0 || x + 1 >= width || y == 0 || y + 1 >= height) {
        for (unsigned z = 0; z < depth; ++z, at += plane) out[at] = grid[at];
        return;
    }
    float below = 0.0f, here = grid[i];
    for (unsigned z = 0; z < depth; ++z, at += plane) {
        float above = z + 1 < depth ? grid[at + plane] : 0.0f;
        float around = grid[at - 1] + grid[at + 1] + grid[at - width] + grid[at + width];
        out[at] = z > 0 && z + 1 < depth ? centre * here + side * (around + below + above) : here;
        below = here;
        here = above;
    }
}
