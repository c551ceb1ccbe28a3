// Which of the two the thread keeps in a run of `length` elements.
__device__ unsigned keep(unsigned own, unsigned other, unsigned thread, unsigned distance, unsigned length) {
    return ((thread & distance) == 0) == ((thread & length) == 0) ? min(own, other) : max(own, other);
}

// Sorts each 1024 elements, one per thread, which it keeps in a register: through shared memory to other warps, by shuffles within
// a warp: the twin of `bitonic_block`.
extern "C" __global__ void bitonic_block(const unsigned *__restrict__ x, unsigned *__restrict__ y, unsigned long long n) {
    __shared__ unsigned tile[1024];
    unsigned thread = threadIdx.x;
    unsigned long long i = (unsigned long long)blockIdx.x * 1024 + thread;
    unsigned value = i < n ? x[i] : 0xffffffffu;
    for (unsigned length = 2; length <= 1024; length *= 2) {
        unsigned distance = length / 2;
        for (; distance >= 32; distance /= 2) {
            tile[thread] = value;
            __syncthreads();
            unsigned other = tile[thread ^ distance];
            __syncthreads();
            value = keep(value, other, thread, distance, length);
        }
        for (; distance > 0; distance /= 2) {
            unsigned other = __shfl_xor_sync(0xffffffffu, value, distance);
            value = keep(value, other, thread, distance, length);
        }
    }
    if (i < n) y[i] = value;
}

// One step over the whole array: each thread orders two pairs of elements that lie `distance` apart: the twin of `bitonic_step`.
extern "C" __global__ void bitonic_step(unsigned distance, unsigned length, unsigned *x, unsigned long long n) {
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long j = i + (unsigned long long)gridDim.x * blockDim.x;
    unsigned long long below0 = i & (distance - 1), below1 = j & (distance - 1);
    unsigned long long low0 = 2 * (i - below0) + below0, low1 = 2 * (j - below1) + below1;
    if (low0 + distance < n && low1 + distance < n) {
        unsigned a = x[low0], b = x[low0 + distance], c = x[low1], d = x[low1 + distance];
        bool ascending0 = (low0 & length) == 0, ascending1 = (low1 & length) == 0;
        x[low0] = ascending0 ? min(a, b) : max(a, b);
        x[low0 + distance] = ascending0 ? max(a, b) : min(a, b);
        x[low1] = ascending1 ? min(c, d) : max(c, d);
        x[low1 + distance] = ascending1 ? max(c, d) : min(c, d);
    }
}
