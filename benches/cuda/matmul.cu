// c = a * b, square matrices of n rows (a multiple of 32), one element per thread, one 32x32 tile of a and of b at a time
// in shared memory: the twin of `matmul`.
extern "C" __global__ void matmul(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, unsigned n) {
    __shared__ float tile[2 * 32 * 32];
    unsigned column = threadIdx.x, row = threadIdx.y;
    unsigned long long x = (unsigned long long)blockIdx.x * 32 + column, y = (unsigned long long)blockIdx.y * 32 + row;
    float sum = 0.0f;
    for (unsigned start = 0; start < n; start += 32) {
        tile[row * 32 + column] = a[y * n + start + column];
        tile[1024 + row * 32 + column] = b[(unsigned long long)(start + row) * n + x];
        __syncthreads();
        for (unsigned k = 0; k < 32; ++k) sum += tile[row * 32 + k] * tile[1024 + k * 32 + column];
        __syncthreads();
    }
    c[y * n + x] = sum;
}
