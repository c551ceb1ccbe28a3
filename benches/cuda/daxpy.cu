// y += a * x in double precision, one element per thread: the twin of `daxpy`.
extern "C" __global__ void daxpy(double a, const double *__restrict__ x, double *__restrict__ y, unsigned long long n) {
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
