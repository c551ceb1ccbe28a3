// Letters to upper case, two times sixteen bytes at a time, and how many a block has changed: the twin of `upper_case`.

// The highest bit of each byte that is a letter of lower case.
__device__ unsigned lower_case(unsigned word) {
    unsigned seven = word & 0x7f7f7f7fu;
    return ((seven + 0x01010101u * (0x80 - 'a')) ^ (seven + 0x01010101u * (0x7f - 'z'))) & ~word & 0x80808080u;
}

__device__ unsigned upper(unsigned word, unsigned &count) {
    unsigned lower = lower_case(word);
    count += __popc(lower);
    return word ^ lower >> 2;
}

__device__ uint4 upper(uint4 four, unsigned &count) {
    return make_uint4(upper(four.x, count), upper(four.y, count), upper(four.z, count), upper(four.w, count));
}

extern "C" __global__ void upper_case(const uint4 *__restrict__ text, uint4 *__restrict__ out, unsigned long long n,
                                      unsigned *__restrict__ changed) {
    __shared__ unsigned total;
    unsigned count = 0;
    unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 2 * threads) {
        bool two = i + threads < n;
        uint4 a = text[i], b = two ? text[i + threads] : make_uint4(0, 0, 0, 0);
        a = upper(a, count);
        b = upper(b, count);
        out[i] = a;
        if (two) out[i + threads] = b;
    }
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    atomicAdd(&total, count);
    __syncthreads();
    if (threadIdx.x == 0) changed[blockIdx.x] = total;
}
