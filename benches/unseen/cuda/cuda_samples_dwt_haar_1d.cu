// Levels of the Haar wavelet transform: a block turns 512 numbers into one and 511 details, in shared memory.
extern "C" __global__ void __launch_bounds__(256) dwt_haar_1d(const float *__restrict__ input, float *__restrict__ approximations, float *__restrict__ details, int n) {
    __shared__ float tile[256];
    const float factor = 0.70710677f;
    int thread = threadIdx.x, number = blockIdx.x, first = number * 512 + 2 * thread;
    float a = input[first], b = input[first + 1], own = (a + b) * factor;
    details[n / 2 + number * 256 + thread] = (a - b) * factor;
    int place = n / 4;
    for (int active = 128; active > 0; active /= 2) {
        tile[thread] = own;
        __syncthreads();
        if (thread < active) {
            a = tile[2 * thread];
            b = tile[2 * thread + 1];
            own = (a + b) * factor;
            details[place + number * active + thread] = (a - b) * factor;
        }
        __syncthreads();
        place /= 2;
    }
    if (thread == 0) approximations[number] = own;
}
