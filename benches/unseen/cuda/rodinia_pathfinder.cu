// The cheapest path through a grid, several rows on a part of a row that shrinks.
extern "C" __global__ void __launch_bounds__(256) dynproc(int iterations, int first_row, int columns, const int *__restrict__ wall,
                                                           const int *__restrict__ source, int *__restrict__ target) {
    __shared__ int row[256];
    int tx = threadIdx.x;
    int start = (256 - 2 * iterations) * blockIdx.x - iterations;
    int x = start + tx;
    int first = max(-start, 0), last = min(columns - 1 - start, 255);
    int west = max(tx - 1, first), east = min(tx + 1, last);
    bool valid = tx >= first && tx <= last;
    if (x >= 0 && x < columns) row[tx] = source[x];
    bool computed = false;
    int result = 0;
    for (int i = 0; i < iterations; i++) {
        __syncthreads();
        computed = tx >= i + 1 && tx <= 254 - i && valid;
        if (computed) {
            int shortest = min(min(row[west], row[tx]), row[east]);
            result = shortest + wall[columns * (first_row + i) + x];
        }
        __syncthreads();
        if (computed) row[tx] = result;
    }
    if (computed) target[x] = result;
}
