// A mean over a sliding window: a thread per column walks down an image.
extern "C" __global__ void boxfilter_y(const float *__restrict__ input, float *__restrict__ output, int width, int height, int r) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    float scale = 1.0f / ((r << 1) + 1), sum = input[x] * r;
    for (int y = 0; y <= r; y++) sum += input[y * width + x];
    output[x] = sum * scale;
    for (int y = 1; y < height; y++) {
        sum += input[min(y + r, height - 1) * width + x];
        sum -= input[max(y - r - 1, 0) * width + x];
        output[y * width + x] = sum * scale;
    }
}
