// 5x5 weights from constant memory over a tile with two pixels more on all sides, zeros beyond the border: the twin of `convolution_2d`.
#define SIDE 5
#define WIDTH (32 + SIDE - 1)
#define HEIGHT (8 + SIDE - 1)
#define W(k) ((1 + (k) * 7 % 25) / 512.0f)

__constant__ float weights[SIDE][SIDE] = {{W(0), W(1), W(2), W(3), W(4)},
                                          {W(5), W(6), W(7), W(8), W(9)},
                                          {W(10), W(11), W(12), W(13), W(14)},
                                          {W(15), W(16), W(17), W(18), W(19)},
                                          {W(20), W(21), W(22), W(23), W(24)}};

extern "C" __global__ void convolution_2d(const float *__restrict__ image, float *__restrict__ out, int width, int height) {
    __shared__ float tile[WIDTH * HEIGHT];
    int left = blockIdx.x * 32, top = blockIdx.y * 8;
    unsigned thread = threadIdx.y * 32 + threadIdx.x;
    for (unsigned slot = thread; slot < WIDTH * HEIGHT; slot += 256) {
        int x = left + (int)(slot % WIDTH) - SIDE / 2, y = top + (int)(slot / WIDTH) - SIDE / 2;
        tile[slot] = x >= 0 && x < width && y >= 0 && y < height ? image[(size_t)y * width + x] : 0.0f;
    }
    __syncthreads();
    int x = left + threadIdx.x, y = top + threadIdx.y;
    if (x < width && y < height) {
        float sum = 0.0f;
        for (unsigned dy = 0; dy < SIDE; ++dy)
            for (unsigned dx = 0; dx < SIDE; ++dx) sum += weights[dy][dx] * tile[(threadIdx.y + dy) * WIDTH + threadIdx.x + dx];
        out[(size_t)y * width + x] = sum;
    }
}
