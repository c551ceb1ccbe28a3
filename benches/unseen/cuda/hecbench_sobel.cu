// The gradient of an image by two masks of nine factors.
__device__ float4 gradient(uchar4 p, float factor, float4 sum) {
    return make_float4(sum.x + factor * p.x, sum.y + factor * p.y, sum.z + factor * p.z, sum.w + factor * p.w);
}

extern "C" __global__ void __launch_bounds__(256) sobel(int width, int height, const uchar4 *__restrict__ image, float4 *__restrict__ result) {
    const float mask_x[3][3] = {{1, 0, -1}, {2, 0, -2}, {1, 0, -1}}, mask_y[3][3] = {{1, 2, 1}, {0, 0, 0}, {-1, -2, -1}};
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x == 0 || y == 0 || x + 1 >= width || y + 1 >= height) return;
    float4 gx = make_float4(0, 0, 0, 0), gy = gx;
    for (int dy = 0; dy < 3; dy++) {
        for (int dx = 0; dx < 3; dx++) {
            uchar4 p = image[(y + dy - 1) * width + x + dx - 1];
            gx = gradient(p, mask_x[dy][dx], gx);
            gy = gradient(p, mask_y[dy][dx], gy);
        }
    }
    result[y * width + x] =
        make_float4(hypotf(gx.x, gy.x) / 2.0f, hypotf(gx.y, gy.y) / 2.0f, hypotf(gx.z, gy.z) / 2.0f, hypotf(gx.w, gy.w) / 2.0f);
}
