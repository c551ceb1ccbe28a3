// Sums of absolute differences of blocks of 4 by 4 pixels, for all displacements of a search window.
#define RANGE 16
#define SIDE (2 * RANGE + 1)
extern "C" __global__ void __launch_bounds__(64) sad_4x4(const unsigned short *__restrict__ current, const unsigned short *__restrict__ reference,
                                   unsigned short *__restrict__ sums, int width, int height) {
    int number = blockIdx.x, column = number % (width / 4) * 4, row = number / (width / 4) * 4;
    for (int displacement = threadIdx.x; displacement < SIDE * SIDE; displacement += 64) {
        int dx = displacement % SIDE - RANGE, dy = displacement / SIDE - RANGE;
        unsigned short sum = 0;
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 4; x++) {
                int from_x = min(max(column + x + dx, 0), width - 1), from_y = min(max(row + y + dy, 0), height - 1);
                sum += abs((int)current[(row + y) * width + column + x] - (int)reference[from_y * width + from_x]);
            }
        sums[number * SIDE * SIDE + displacement] = sum;
    }
}
