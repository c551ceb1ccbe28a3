// A mean of the pixels around that are like the one in the middle.
__device__ float3 colour(uchar4 p) {
    const float unit = 1.0f / 255.0f;
    return make_float3(p.x * unit, p.y * unit, p.z * unit);
}

__device__ unsigned char level(float sum, float weights, float here, float part) {
    float mean = sum / weights;
    return (unsigned char)fminf(fmaxf((mean + (here - mean) * part) * 255.0f, 0.0f), 255.0f);
}

extern "C" __global__ void __launch_bounds__(64)
    nearest_neighbours(int width, int height, float noise, float lerp, const uchar4 *__restrict__ image, uchar4 *__restrict__ result) {
    const float unit = 1.0f / 49.0f;
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= width || y >= height) return;
    float3 here = colour(image[y * width + x]), sum = make_float3(0, 0, 0);
    float alike = 0, weights = 0;
    for (int dy = -3; dy <= 3; dy++) {
        for (int dx = -3; dx <= 3; dx++) {
            int row = min(max(y + dy, 0), height - 1), column = min(max(x + dx, 0), width - 1);
            float3 there = colour(image[row * width + column]);
            float a = there.x - here.x, b = there.y - here.y, c = there.z - here.z;
            float weight = expf(-((a * a + b * b + c * c) * noise + (dx * dx + dy * dy) * unit));
            sum.x += there.x * weight;
            sum.y += there.y * weight;
            sum.z += there.z * weight;
            weights += weight;
            alike += weight > 0.02f ? unit : 0.0f;
        }
    }
    float part = alike > 0.79f ? lerp : 1.0f - lerp;
    result[y * width + x] =
        make_uchar4(level(sum.x, weights, here.x, part), level(sum.y, weights, here.y, part), level(sum.z, weights, here.z, part), 0);
}
