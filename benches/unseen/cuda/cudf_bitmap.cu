// Operations on validity bitmaps.
extern "C" __global__ void and_shifted(const unsigned *__restrict__ a, const unsigned *__restrict__ b, unsigned shift, unsigned *__restrict__ both, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned low = b[i + shift / 32], high = i + shift / 32 + 1 < n + 2 ? b[i + shift / 32 + 1] : 0;
    both[i] = a[i] & (unsigned)(((unsigned long long)high << 32 | low) >> (shift % 32));
}

extern "C" __global__ void __launch_bounds__(256) count_unset(const unsigned *__restrict__ mask, int n, unsigned rows, unsigned *count) {
    __shared__ unsigned warps[8];
    unsigned own = 0;
    for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < n; at += gridDim.x * blockDim.x) {
        unsigned bits = rows < 32u * at ? 0 : min(rows - 32u * at, 32u);
        unsigned unused = bits == 32 ? 0 : 0xffffffffu << bits;
        own += __popc(~mask[at] & ~unused);
    }
    own = __reduce_add_sync(0xffffffffu, own);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned total = 0;
        for (int k = 0; k < 8; k++) total += warps[k];
        atomicAdd(count, total);
    }
}

extern "C" __global__ void expand(const unsigned *__restrict__ mask, unsigned char *__restrict__ valid, unsigned rows) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) valid[i] = mask[i / 32] >> (i % 32) & 1;
}
