// Decomposition into triangles by blocks of 16 by 16: diagonal, perimeter, internal part.
extern "C" __global__ void __launch_bounds__(16) diagonal(float *m, int dim, int offset) {
    __shared__ float shadow[16][16];
    int tx = threadIdx.x;
    float *start = m + offset * dim + offset;
    for (int row = 0; row < 16; row++) shadow[row][tx] = start[row * dim + tx];
    __syncthreads();
    for (int i = 0; i < 15; i++) {
        if (tx > i) {
            for (int j = 0; j < i; j++) shadow[tx][i] -= shadow[tx][j] * shadow[j][i];
            shadow[tx][i] /= shadow[i][i];
        }
        __syncthreads();
        if (tx > i)
            for (int j = 0; j < i + 1; j++) shadow[i + 1][tx] -= shadow[i + 1][j] * shadow[j][tx];
        __syncthreads();
    }
    for (int row = 1; row < 16; row++) start[row * dim + tx] = shadow[row][tx];
}

extern "C" __global__ void __launch_bounds__(32) perimeter(float *m, int dim, int offset) {
    __shared__ float corner[16][16], beside[16][16], below[16][16];
    int distance = (blockIdx.x + 1) * 16;
    bool left = threadIdx.x < 16;
    int own = threadIdx.x % 16;
    float *first = m + offset * dim + offset;
    if (left) {
        for (int row = 0; row < 8; row++) corner[row][own] = first[row * dim + own];
        for (int row = 0; row < 16; row++) beside[row][own] = first[row * dim + distance + own];
    } else {
        for (int row = 8; row < 16; row++) corner[row][own] = first[row * dim + own];
        for (int row = 0; row < 16; row++) below[row][own] = first[(row + distance) * dim + own];
    }
    __syncthreads();
    if (left) {
        for (int i = 1; i < 16; i++)
            for (int j = 0; j < i; j++) beside[i][own] -= corner[i][j] * beside[j][own];
    } else {
        for (int i = 0; i < 16; i++) {
            for (int j = 0; j < i; j++) below[own][i] -= below[own][j] * corner[j][i];
            below[own][i] /= corner[i][i];
        }
    }
    __syncthreads();
    if (left)
        for (int row = 0; row < 16; row++) first[row * dim + distance + own] = beside[row][own];
    else
        for (int row = 0; row < 16; row++) first[(row + distance) * dim + own] = below[row][own];
}

extern "C" __global__ void __launch_bounds__(256) internal(float *m, int dim, int offset) {
    __shared__ float beside[16][16], below[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = offset + (blockIdx.y + 1) * 16, column = offset + (blockIdx.x + 1) * 16;
    beside[ty][tx] = m[(offset + ty) * dim + column + tx];
    below[ty][tx] = m[(row + ty) * dim + offset + tx];
    __syncthreads();
    float sum = 0.0f;
    for (int i = 0; i < 16; i++) sum += below[ty][i] * beside[i][tx];
    m[(row + ty) * dim + column + tx] -= sum;
}
