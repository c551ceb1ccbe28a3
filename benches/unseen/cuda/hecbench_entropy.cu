// The entropy of the values in a window of 5 by 5.
extern "C" __global__ void __launch_bounds__(256) entropy(int width, int height, const unsigned char *__restrict__ values, float *__restrict__ result) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x >= width || y >= height) return;
    unsigned char counts[16];
    for (int k = 0; k < 16; k++) counts[k] = 0;
    int total = 0;
    for (int row = max(y - 2, 0); row <= min(y + 2, height - 1); row++) {
        for (int column = max(x - 2, 0); column <= min(x + 2, width - 1); column++) {
            counts[values[row * width + column]]++;
            total++;
        }
    }
    float entropy = 0.0f;
    for (int k = 0; k < 16; k++) {
        if (counts[k] > 0) {
            float p = (float)counts[k] / (float)total;
            entropy -= p * log2f(p);
        }
    }
    result[y * width + x] = entropy;
}
