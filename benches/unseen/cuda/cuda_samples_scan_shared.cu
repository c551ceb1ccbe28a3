// Exclusive sums of parts of 1024 elements: four per thread, the threads in shared memory.
extern "C" __global__ void __launch_bounds__(256) scan_exclusive_shared(const uint4 *__restrict__ input, uint4 *__restrict__ output) {
    __shared__ unsigned tile[512];
    int at = blockIdx.x * 256 + threadIdx.x, position = threadIdx.x + 256;
    uint4 own = input[at], inclusive = own;
    inclusive.y += inclusive.x;
    inclusive.z += inclusive.y;
    inclusive.w += inclusive.z;
    unsigned sum = inclusive.w;
    tile[threadIdx.x] = 0;
    tile[position] = sum;
    for (int offset = 1; offset < 256; offset <<= 1) {
        __syncthreads();
        sum += tile[position - offset];
        __syncthreads();
        tile[position] = sum;
    }
    unsigned before = sum - inclusive.w;
    output[at] = make_uint4(before, before + inclusive.x, before + inclusive.y, before + inclusive.z);
}
