// c = a * b for each matrix of 16 by 16 of a batch, a block for each, one element per thread: the twin of `matmul_batched`.
extern "C" __global__ void __launch_bounds__(256)
    matmul_batched(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c) {
    __shared__ float tile_a[256], tile_b[256];
    int column = threadIdx.x % 16, row = threadIdx.x / 16;
    size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
    float of_a = a[i], of_b = b[i];
    tile_a[threadIdx.x] = of_a;
    tile_b[threadIdx.x] = of_b;
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 16; ++k) sum += tile_a[row * 16 + k] * tile_b[k * 16 + column];
    c[i] = sum;
}
