// Circles along which the gradient's mean is largest beside its deviation, and a dilation by a disc.
const int POINTS = 150, CIRCLES = 7, BORDER = 22, RADIUS = 4;

extern "C" __global__ void gicov(int width, int height, const float *__restrict__ grad_x, const float *__restrict__ grad_y,
                                 const float *__restrict__ cosines, const float *__restrict__ sines, const int *__restrict__ rows,
                                 const int *__restrict__ columns, float *__restrict__ result) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < BORDER || i >= width - BORDER || j < BORDER || j >= height - BORDER) return;
    float best = 0.0f;
    for (int k = 0; k < CIRCLES; k++) {
        float sum = 0.0f, deviations = 0.0f, mean = 0.0f;
        for (int n = 0; n < POINTS; n++) {
            int at = (j + rows[k * POINTS + n]) * width + i + columns[k * POINTS + n];
            float along = grad_x[at] * cosines[n] + grad_y[at] * sines[n];
            sum += along;
            float delta = along - mean;
            mean += delta / (float)(n + 1);
            deviations += delta * (along - mean);
        }
        mean = sum / (float)POINTS;
        float variance = deviations / (float)(POINTS - 1);
        if (mean * mean / variance > best) best = mean * mean / variance;
    }
    result[j * width + i] = best;
}

extern "C" __global__ void dilate(int width, int height, const unsigned char *__restrict__ disc, const float *__restrict__ image,
                                  float *__restrict__ result) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= width || j >= height) return;
    float largest = 0.0f;
    for (int dy = 0; dy <= 2 * RADIUS; dy++) {
        int y = j + dy - RADIUS;
        if (y < 0 || y >= height) continue;
        for (int dx = 0; dx <= 2 * RADIUS; dx++) {
            int x = i + dx - RADIUS;
            if (x >= 0 && x < width && disc[dy * (2 * RADIUS + 1) + dx]) largest = fmaxf(largest, image[y * width + x]);
        }
    }
    result[j * width + i] = largest;
}
