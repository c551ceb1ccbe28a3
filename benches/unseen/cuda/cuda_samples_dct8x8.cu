// The discrete cosine transform of blocks of 8 by 8 pixels, as two products of matrices in shared memory.
__constant__ float cosines[8][8] = {
    {0.3535534f, 0.3535534f, 0.3535534f, 0.3535534f, 0.3535534f, 0.3535534f, 0.3535534f, 0.3535534f},
    {0.4903926f, 0.4157348f, 0.2777851f, 0.0975452f, -0.0975452f, -0.2777851f, -0.4157348f, -0.4903926f},
    {0.4619398f, 0.1913417f, -0.1913417f, -0.4619398f, -0.4619398f, -0.1913417f, 0.1913417f, 0.4619398f},
    {0.4157348f, -0.0975452f, -0.4903926f, -0.2777851f, 0.2777851f, 0.4903926f, 0.0975452f, -0.4157348f},
    {0.3535534f, -0.3535534f, -0.3535534f, 0.3535534f, 0.3535534f, -0.3535534f, -0.3535534f, 0.3535534f},
    {0.2777851f, -0.4903926f, 0.0975452f, 0.4157348f, -0.4157348f, -0.0975452f, 0.4903926f, -0.2777851f},
    {0.1913417f, -0.4619398f, 0.4619398f, -0.1913417f, -0.1913417f, 0.4619398f, -0.4619398f, 0.1913417f},
    {0.0975452f, -0.2777851f, 0.4157348f, -0.4903926f, 0.4903926f, -0.4157348f, 0.2777851f, -0.0975452f},
};

extern "C" __global__ void __launch_bounds__(64) dct_8x8(const float *__restrict__ image, float *__restrict__ output, int width) {
    __shared__ float pixels[64], half[64];
    int x = threadIdx.x, y = threadIdx.y, at = (blockIdx.y * 8 + y) * width + blockIdx.x * 8 + x;
    pixels[y * 8 + x] = image[at];
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 8; k++) sum += cosines[y][k] * pixels[k * 8 + x];
    half[y * 8 + x] = sum;
    __syncthreads();
    sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 8; k++) sum += half[y * 8 + k] * cosines[x][k];
    output[at] = sum;
}
