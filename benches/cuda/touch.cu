// Next to nothing, with a usual set of arguments: what is measured is the launch. The twin of `touch`.
extern "C" __global__ void touch(float a, const float *x, unsigned long long x_len, float *y, unsigned long long y_len) {
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < y_len && i < x_len) y[i] = a + x[i];
}
