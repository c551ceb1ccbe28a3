// Letters to upper case, sixteen bytes at a time, and how many a block has changed: the twin of `upper_case`.
struct __align__(16) Bytes {
    unsigned char byte[16];
};

extern "C" __global__ void upper_case(const Bytes *__restrict__ text, Bytes *__restrict__ out, unsigned long long n,
                                      unsigned *__restrict__ changed) {
    __shared__ unsigned total;
    unsigned count = 0;
    unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        Bytes bytes = text[i];
        for (int k = 0; k < 16; ++k) {
            bool lower = bytes.byte[k] >= 'a' && bytes.byte[k] <= 'z';
            count += lower;
            if (lower) bytes.byte[k] -= 'a' - 'A';
        }
        out[i] = bytes;
    }
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    atomicAdd(&total, count);
    __syncthreads();
    if (threadIdx.x == 0) changed[blockIdx.x] = total;
}
