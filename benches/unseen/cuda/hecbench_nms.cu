// Which boxes overlap: a bit for each pair, 64 pairs in a word.
extern "C" __global__ void __launch_bounds__(64) overlaps(int n, float threshold, const float4 *__restrict__ boxes, unsigned long long *__restrict__ mask) {
    __shared__ float4 tile[64];
    int row = blockIdx.y * 64, column = blockIdx.x * 64;
    int count = min(n - column, 64), own = row + threadIdx.x;
    if ((int)threadIdx.x < count) tile[threadIdx.x] = boxes[column + threadIdx.x];
    __syncthreads();
    if (own >= n) return;
    float4 box = boxes[own];
    float area = (box.z - box.x) * (box.w - box.y);
    unsigned long long bits = 0;
    for (int k = row == column ? threadIdx.x + 1 : 0; k < count; k++) {
        float4 other = tile[k];
        float width = fmaxf(fminf(box.z, other.z) - fmaxf(box.x, other.x), 0.0f);
        float height = fmaxf(fminf(box.w, other.w) - fmaxf(box.y, other.y), 0.0f);
        float both = width * height;
        if (both > threshold * (area + (other.z - other.x) * (other.w - other.y) - both)) bits |= 1ull << k;
    }
    mask[own * gridDim.x + blockIdx.x] = bits;
}
