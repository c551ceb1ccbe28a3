// A nine-point stencil through a tile in shared memory: 16 rows and 16 columns, and a border of one.
#define TILE 18
extern "C" __global__ void __launch_bounds__(256) stencil9(float centre, float cardinal, float diagonal, const float *__restrict__ data, float *__restrict__ output, int width) {
    __shared__ float tile[TILE * TILE];
    int first_x = blockIdx.x * 16, first_y = blockIdx.y * 16;
    for (int slot = threadIdx.y * 16 + threadIdx.x; slot < TILE * TILE; slot += 256)
        tile[slot] = data[(first_y + slot / TILE) * width + first_x + slot % TILE];
    __syncthreads();
    int x = threadIdx.x + 1, y = threadIdx.y + 1, at = y * TILE + x;
    float sides = tile[at - TILE] + tile[at + TILE] + tile[at - 1] + tile[at + 1];
    float corners = tile[at - TILE - 1] + tile[at - TILE + 1] + tile[at + TILE - 1] + tile[at + TILE + 1];
    output[(first_y + y) * width + first_x + x] = centre * tile[at] + cardinal * sides + diagonal * corners;
}
