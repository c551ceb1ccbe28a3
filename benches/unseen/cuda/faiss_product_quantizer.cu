// Distances of product-quantised codes by a table of the query.
extern "C" __global__ void __launch_bounds__(256) distance_table(const float *__restrict__ query, const float *__restrict__ centres,
                                                                  float *__restrict__ table) {
    int i = blockIdx.x * 256 + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < 4; k++) {
        float difference = query[blockIdx.x * 4 + k] - centres[4 * i + k];
        sum += difference * difference;
    }
    table[i] = sum;
}

extern "C" __global__ void __launch_bounds__(256) scan_codes(const float *__restrict__ table, const unsigned char *__restrict__ codes,
                                                              float *__restrict__ distances, int n) {
    __shared__ float tile[8 * 256];
    for (int slot = threadIdx.x; slot < 8 * 256; slot += 256) tile[slot] = table[slot];
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float distance = 0.0f;
        for (int part = 0; part < 8; part++) distance += tile[part * 256 + codes[8 * i + part]];
        distances[i] = distance;
    }
}
