// The gradient of a mean over windows with padding, a thread per element of the input.
extern "C" __global__ void mean_gradient(const float *__restrict__ out, float *__restrict__ gradient, int n, int height, int width, int out_height,
                                         int out_width, int window, int stride, int padding) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int plane = i / width / height, y = i / width % height + padding, x = i % width + padding;
    int first_row = y < window ? 0 : (y - window) / stride + 1, first_column = x < window ? 0 : (x - window) / stride + 1;
    int last_row = min(y / stride + 1, out_height), last_column = min(x / stride + 1, out_width);
    out += plane * out_height * out_width;
    float sum = 0.0f;
    for (int row = first_row; row < last_row; row++) {
        int top = row * stride - padding, bottom = min(top + window, height);
        top = max(top, 0);
        for (int column = first_column; column < last_column; column++) {
            int left = column * stride - padding, right = min(left + window, width);
            left = max(left, 0);
            int size = (bottom - top) * (right - left);
            sum += out[row * out_width + column] * (1.0f / size);
        }
    }
    gradient[i] = sum;
}
