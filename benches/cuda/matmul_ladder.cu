// c = a * b, square matrices of n rows (a multiple of what a block makes): the twins of `matmul_naive`, `matmul_register_1d`,
// `matmul_register_2d` and `matmul_vectorised`; that of `matmul` stands in matmul.cu.
extern "C" __global__ void matmul_naive(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) {
        float sum = 0.0f;
        for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
        c[y * n + x] = sum;
    }
}

// Eight elements of a column per thread; blocks of 64 by 8 threads make 64 by 64 elements.
extern "C" __global__ void __launch_bounds__(512)
    matmul_register_1d(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
    __shared__ float tile_a[64 * 8], tile_b[8 * 64];
    int column = threadIdx.x, row = threadIdx.y, thread = row * 64 + column;
    a += blockIdx.y * 64 * n;
    b += blockIdx.x * 64;
    c += blockIdx.y * 64 * n + blockIdx.x * 64;
    float sums[8] = {};
    for (int start = 0; start < n; start += 8) {
        float of_a = a[thread / 8 * n + start + thread % 8], of_b = b[(start + row) * n + column];
        tile_a[thread] = of_a;
        tile_b[thread] = of_b;
        __syncthreads();
        for (int k = 0; k < 8; ++k) {
            float of_b = tile_b[k * 64 + column];
            for (int i = 0; i < 8; ++i) sums[i] += tile_a[(row * 8 + i) * 8 + k] * of_b;
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; ++i) c[(row * 8 + i) * n + column] = sums[i];
}

// Eight by eight elements per thread; blocks of 16 by 16 threads make 128 by 128 elements.
extern "C" __global__ void __launch_bounds__(256)
    matmul_register_2d(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
    __shared__ float tile_a[128 * 8], tile_b[8 * 128];
    int column = threadIdx.x, row = threadIdx.y, thread = row * 16 + column;
    a += blockIdx.y * 128 * n;
    b += blockIdx.x * 128;
    c += blockIdx.y * 128 * n + blockIdx.x * 128;
    float sums[8][8] = {};
    for (int start = 0; start < n; start += 8) {
        float of_a[4], of_b[4];
        for (int k = 0; k < 4; ++k) of_a[k] = a[(thread / 8 + 32 * k) * n + start + thread % 8];
        for (int k = 0; k < 4; ++k) of_b[k] = b[(start + thread / 128 + 2 * k) * n + thread % 128];
        for (int k = 0; k < 4; ++k) {
            tile_a[thread + 256 * k] = of_a[k];
            tile_b[thread + 256 * k] = of_b[k];
        }
        __syncthreads();
        for (int k = 0; k < 8; ++k) {
            float of_a[8], of_b[8];
            for (int i = 0; i < 8; ++i) {
                of_a[i] = tile_a[(row * 8 + i) * 8 + k];
                of_b[i] = tile_b[k * 128 + column * 8 + i];
            }
            for (int i = 0; i < 8; ++i)
                for (int j = 0; j < 8; ++j) sums[i][j] += of_a[i] * of_b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) c[(row * 8 + i) * n + column * 8 + j] = sums[i][j];
}

// The same with all memory in accesses of sixteen bytes.
extern "C" __global__ void __launch_bounds__(256)
    matmul_vectorised(const float4 *__restrict__ a, const float4 *__restrict__ b, float4 *__restrict__ c, int n) {
    __shared__ float4 tile_a[128 * 2], tile_b[8 * 32];
    int column = threadIdx.x, row = threadIdx.y, thread = row * 16 + column, width = n / 4;
    a += blockIdx.y * 128 * width;
    b += blockIdx.x * 32;
    c += blockIdx.y * 128 * width + blockIdx.x * 32;
    float sums[8][8] = {};
    for (int start = 0; start < n; start += 8) {
        float4 next_a = a[thread / 2 * width + start / 4 + thread % 2], next_b = b[(start + thread / 32) * width + thread % 32];
        tile_a[thread] = next_a;
        tile_b[thread] = next_b;
        __syncthreads();
        for (int four = 0; four < 2; ++four) {
            float of_a[8][4];
            for (int i = 0; i < 8; ++i) {
                float4 v = tile_a[(row * 8 + i) * 2 + four];
                of_a[i][0] = v.x, of_a[i][1] = v.y, of_a[i][2] = v.z, of_a[i][3] = v.w;
            }
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                float4 low = tile_b[(four * 4 + k) * 32 + column * 2], high = tile_b[(four * 4 + k) * 32 + column * 2 + 1];
                float of_b[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
                for (int i = 0; i < 8; ++i)
                    for (int j = 0; j < 8; ++j) sums[i][j] += of_a[i][k] * of_b[j];
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; ++i) {
        c[(row * 8 + i) * width + column * 2] = make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
        c[(row * 8 + i) * width + column * 2 + 1] = make_float4(sums[i][4], sums[i][5], sums[i][6], sums[i][7]);
    }
}
