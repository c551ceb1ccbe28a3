// Transposes of a square matrix of n rows, a multiple of 32, in blocks of 32 by 32: the twins of `transpose_naive`, `transpose_tiled`,
// `transpose_swizzled` and `transpose_padded`.
extern "C" __global__ void transpose_naive(int n, const float *__restrict__ a, float *__restrict__ b) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    if (x < n && y < n) b[y * n + x] = a[x * n + y];
}

extern "C" __global__ void transpose_tiled(int n, const float *__restrict__ a, float *__restrict__ b) {
    __shared__ float tile[32][32];
    int x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = a[y * n + x];
    __syncthreads();
    b[(blockIdx.y * 32 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void transpose_swizzled(int n, const float *__restrict__ a, float *__restrict__ b) {
    __shared__ float tile[32][32];
    int x = blockIdx.y * 32 + (threadIdx.x ^ threadIdx.y), y = blockIdx.x * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = a[y * n + x];
    __syncthreads();
    b[(blockIdx.y * 32 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y ^ threadIdx.x];
}

extern "C" __global__ void transpose_padded(int n, const float *__restrict__ a, float *__restrict__ b) {
    __shared__ float tile[32][33];
    int x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = a[y * n + x];
    __syncthreads();
    b[(blockIdx.y * 32 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
