// Steps until a point leaves the circle of radius 2, one pixel per thread: the twin of `mandelbrot`.
extern "C" __global__ void mandelbrot(float left, float top, float step, unsigned limit, unsigned *__restrict__ out, unsigned width,
                                      unsigned height) {
    unsigned column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height) return;
    float cx = left + column * step, cy = top + row * step;
    float x = 0.0f, y = 0.0f;
    unsigned n = 0;
    while (n < limit && x * x + y * y <= 4.0f) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        ++n;
    }
    out[(size_t)row * width + column] = n;
}
