// The largest element of each window of images.
extern "C" __global__ void __launch_bounds__(256) max_pool(int width, int height, int pooled_width, int pooled_height, const float *__restrict__ images,
                                                            float *__restrict__ pooled) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= pooled_width || y >= pooled_height) return;
    const float *image = images + z * width * height;
    float largest = -__int_as_float(0x7f800000);
    for (int row = y * 2; row < y * 2 + 2; row++)
        for (int column = x * 2; column < x * 2 + 2; column++)
            if (column < width && row < height) largest = fmaxf(largest, image[row * width + column]);
    pooled[(z * pooled_height + y) * pooled_width + x] = largest;
}
