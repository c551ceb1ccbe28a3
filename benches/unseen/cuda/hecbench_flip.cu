// A tensor whose order along some dimensions is reversed; the dimensions are data.
extern "C" __global__ void flip(const float *__restrict__ input, float *__restrict__ output, long long n, const long long *__restrict__ flipped,
                                long long flipped_count, const long long *__restrict__ strides, const long long *__restrict__ strides_contiguous,
                                const long long *__restrict__ shape, long long dimensions) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    long long rest = i, from = 0;
    for (long long d = 0; d < dimensions; d++) {
        long long index = rest / strides_contiguous[d];
        rest -= index * strides_contiguous[d];
        for (long long j = 0; j < flipped_count; j++) {
            if (flipped[j] == d) index = shape[d] - 1 - index;
        }
        from += index * strides[d];
    }
    output[i] = input[from];
}
