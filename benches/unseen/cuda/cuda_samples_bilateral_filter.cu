// A bilateral filter of a colour image: weights by distance and by the difference of colours.
__device__ inline float3 colours(unsigned pixel) {
    return make_float3((pixel & 0xff) / 255.0f, (pixel >> 8 & 0xff) / 255.0f, (pixel >> 16 & 0xff) / 255.0f);
}

__device__ inline unsigned byte_of(float c) { return (unsigned)(fminf(fmaxf(c, 0.0f), 1.0f) * 255.0f); }

__device__ inline float likeness(float3 a, float3 b, float delta) {
    float square = (b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y) + (b.z - a.z) * (b.z - a.z);
    return expf(-square / (2.0f * delta * delta));
}

extern "C" __global__ void bilateral_filter(float delta, int radius, const float *__restrict__ gaussian, const unsigned *__restrict__ input,
                                            unsigned *__restrict__ output, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float3 centre = colours(input[y * width + x]), mean = make_float3(0.0f, 0.0f, 0.0f);
    float sum = 0.0f;
    for (int i = -radius; i <= radius; i++)
        for (int j = -radius; j <= radius; j++) {
            int row = min(max(y + i, 0), height - 1), column = min(max(x + j, 0), width - 1);
            float3 colour = colours(input[row * width + column]);
            float factor = gaussian[i + radius] * gaussian[j + radius] * likeness(colour, centre, delta);
            mean.x += factor * colour.x;
            mean.y += factor * colour.y;
            mean.z += factor * colour.z;
            sum += factor;
        }
    output[y * width + x] = byte_of(mean.x / sum) | byte_of(mean.y / sum) << 8 | byte_of(mean.z / sum) << 16;
}
