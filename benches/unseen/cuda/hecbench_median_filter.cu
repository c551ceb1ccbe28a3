// The median of nine pixels, channel by channel.
extern "C" __global__ void __launch_bounds__(256) median_3x3(int width, int height, const uchar4 *__restrict__ image, unsigned *__restrict__ result) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x >= width || y >= height) return;
    unsigned pixel = 0;
    for (int channel = 0; channel < 4; channel++) {
        unsigned char window[9];
        for (int k = 0; k < 9; k++) {
            int column = min(max(x + k % 3 - 1, 0), width - 1), row = min(max(y + k / 3 - 1, 0), height - 1);
            window[k] = reinterpret_cast<const unsigned char *>(&image[row * width + column])[channel];
        }
        for (int first = 0; first < 5; first++) {
            for (int other = first + 1; other < 9; other++) {
                if (window[other] < window[first]) {
                    unsigned char swapped = window[first];
                    window[first] = window[other];
                    window[other] = swapped;
                }
            }
        }
        pixel |= (unsigned)window[4] << (8 * channel);
    }
    result[y * width + x] = pixel;
}
