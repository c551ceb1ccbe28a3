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

// One step over the whole array: each thread orders two elements that lie `distance` apart: the twin of `bitonic_step`.
extern "C" __global__ void bitonic_step(unsigned distance, unsigned length, unsigned *x, unsigned long long n) {
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long below = i & (distance - 1);
    unsigned long long low = 2 * (i - below) + below, high = low + distance;
    if (high < n) {
        unsigned a = x[low], b = x[high];
        bool ascending = (low & length) == 0;
        x[low] = ascending ? min(a, b) : max(a, b);
        x[high] = ascending ? max(a, b) : min(a, b);
    }
}
