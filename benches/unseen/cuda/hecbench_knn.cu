// The distances of all pairs of points through tiles, and the nearest points of each by insertion.
extern "C" __global__ void __launch_bounds__(256) compute_distance(const float *__restrict__ references, int reference_count,
                                                                   const float *__restrict__ queries, int query_count, int dimensions,
                                                                   float *__restrict__ distances) {
    __shared__ float tile_a[16][16], tile_b[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, a = blockIdx.y * 16, b = blockIdx.x * 16;
    float sum = 0;
    for (int first = 0; first < dimensions; first += 16) {
        int row = first + ty;
        tile_a[ty][tx] = row < dimensions && a + tx < reference_count ? references[row * reference_count + a + tx] : 0.0f;
        tile_b[ty][tx] = row < dimensions && b + tx < query_count ? queries[row * query_count + b + tx] : 0.0f;
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            float difference = tile_a[k][ty] - tile_b[k][tx];
            sum += difference * difference;
        }
        __syncthreads();
    }
    if (a + ty < reference_count && b + tx < query_count) distances[(a + ty) * query_count + b + tx] = sum;
}

extern "C" __global__ void __launch_bounds__(256) insertion_sort(float *__restrict__ distances, int *__restrict__ numbers, int width, int height, int k) {
    int x = blockIdx.x * 256 + threadIdx.x;
    if (x >= width) return;
    float *d = distances + x;
    int *n = numbers + x;
    n[0] = 0;
    for (int row = 1; row < height; row++) {
        float now = d[row * width];
        int last = min(row, k) - 1;
        if (row >= k && now >= d[last * width]) continue;
        int place = row;
        for (int r = 0; r <= last; r++) {
            if (d[r * width] > now) {
                place = r;
                break;
            }
        }
        for (int r = min(row, k - 1); r > place; r--) {
            d[r * width] = d[(r - 1) * width];
            n[r * width] = n[(r - 1) * width];
        }
        d[place * width] = now;
        n[place * width] = row;
    }
}
