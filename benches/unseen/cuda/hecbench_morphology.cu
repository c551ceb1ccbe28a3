// Dilation by a square from a tile in shared memory, erosion from global memory.
const int RADIUS = 2, SIDE = 16 + 2 * RADIUS;

extern "C" __global__ void __launch_bounds__(256) dilate(int width, int height, const unsigned char *__restrict__ image,
                                                          unsigned char *__restrict__ result) {
    __shared__ unsigned char tile[SIDE * SIDE];
    int left = blockIdx.x * 16 - RADIUS, top = blockIdx.y * 16 - RADIUS;
    for (int slot = threadIdx.y * 16 + threadIdx.x; slot < SIDE * SIDE; slot += 256) {
        int x = left + slot % SIDE, y = top + slot / SIDE;
        tile[slot] = x >= 0 && x < width && y >= 0 && y < height ? image[y * width + x] : 0;
    }
    __syncthreads();
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    unsigned char largest = 0;
    for (int dy = 0; dy <= 2 * RADIUS; dy++)
        for (int dx = 0; dx <= 2 * RADIUS; dx++) largest = max(largest, tile[(threadIdx.y + dy) * SIDE + threadIdx.x + dx]);
    if (x < width && y < height) result[y * width + x] = largest;
}

extern "C" __global__ void __launch_bounds__(256) erode(int width, int height, const unsigned char *__restrict__ image,
                                                         unsigned char *__restrict__ result) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x >= width || y >= height) return;
    unsigned char least = 255;
    for (int row = max(y - RADIUS, 0); row <= min(y + RADIUS, height - 1); row++)
        for (int column = max(x - RADIUS, 0); column <= min(x + RADIUS, width - 1); column++) least = min(least, image[row * width + column]);
    result[y * width + x] = least;
}
