// Numbers of a Sobol sequence: a row of blocks per dimension, each thread goes on in steps of a power of two.
extern "C" __global__ void __launch_bounds__(64) sobol_gpu(const unsigned *__restrict__ directions, float *__restrict__ output, unsigned vectors) {
    __shared__ unsigned v[32];
    unsigned dimension = blockIdx.y;
    directions += dimension * 32;
    output += dimension * vectors;
    if (threadIdx.x < 32) v[threadIdx.x] = directions[threadIdx.x];
    __syncthreads();
    unsigned first = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x, gray = first ^ (first >> 1), x = 0;
    for (int k = 0; k < 31; k++)
        if (gray >> k & 1) x ^= v[k];
    if (first < vectors) output[first] = x * 2.3283064e-10f;
    unsigned changed = v[__ffs(stride) - 2];
    for (unsigned number = first + stride; number < vectors; number += stride) {
        x ^= changed ^ v[__ffs(~((number - stride) | (stride - 1))) - 1];
        output[number] = x * 2.3283064e-10f;
    }
}
