// An image in another size, by linear interpolation along both axes.
extern "C" __global__ void resize_linear(int width, int height, int out_width, int out_height, int n, const float *__restrict__ input,
                                         float *__restrict__ output) {
    float scale_x = (float)width / out_width, scale_y = (float)height / out_height;
    for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < n; at += gridDim.x * blockDim.x) {
        int x = at % out_width, y = at / out_width % out_height, channel = at / (out_width * out_height);
        float in_x = fmaxf((x + 0.5f) * scale_x - 0.5f, 0.0f), in_y = fmaxf((y + 0.5f) * scale_y - 0.5f, 0.0f);
        int x0 = (int)in_x, y0 = (int)in_y;
        int x1 = min(x0 + 1, width - 1), y1 = min(y0 + 1, height - 1);
        const float *image = input + channel * width * height;
        float part_x = in_x - x0, part_y = in_y - y0;
        float above = image[y0 * width + x0] + part_x * (image[y0 * width + x1] - image[y0 * width + x0]);
        float below = image[y1 * width + x0] + part_x * (image[y1 * width + x1] - image[y1 * width + x0]);
        output[at] = above + part_y * (below - above);
    }
}
