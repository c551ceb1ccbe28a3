// Alignment of two sequences: the tiles of 16 by 16 on one diagonal.
extern "C" __global__ void __launch_bounds__(16) diagonal_of_tiles(const int *__restrict__ similarity, int *items, int columns, int penalty, int diagonal) {
    __shared__ int scores[17][17], rewards[16][16];
    int tx = threadIdx.x, tile_x = blockIdx.x, tile_y = diagonal - 1 - blockIdx.x;
    int corner = columns * 16 * tile_y + 16 * tile_x;
    if (tx == 0) scores[0][0] = items[corner];
    for (int y = 0; y < 16; y++) rewards[y][tx] = similarity[corner + columns * (y + 1) + tx + 1];
    scores[tx + 1][0] = items[corner + columns * (tx + 1)];
    scores[0][tx + 1] = items[corner + tx + 1];
    __syncthreads();
    for (int m = 0; m < 16; m++) {
        if (tx <= m) {
            int x = tx + 1, y = m - tx + 1;
            scores[y][x] = max(max(scores[y - 1][x - 1] + rewards[y - 1][x - 1], scores[y][x - 1] - penalty), scores[y - 1][x] - penalty);
        }
        __syncthreads();
    }
    for (int m = 14; m >= 0; m--) {
        if (tx <= m) {
            int x = tx + 16 - m, y = 16 - tx;
            scores[y][x] = max(max(scores[y - 1][x - 1] + rewards[y - 1][x - 1], scores[y][x - 1] - penalty), scores[y - 1][x] - penalty);
        }
        __syncthreads();
    }
    for (int y = 0; y < 16; y++) items[corner + columns * (y + 1) + tx + 1] = scores[y + 1][tx + 1];
}
