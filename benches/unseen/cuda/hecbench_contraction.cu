// A contraction of two tensors over two indices.
const int N = 16;

extern "C" __global__ void __launch_bounds__(256) contract(const double *__restrict__ t, const double *__restrict__ v, double *__restrict__ r) {
    int a = blockIdx.x / N, b = blockIdx.x % N;
    double sum = 0.0;
    for (int c = 0; c < N; c++)
        for (int d = 0; d < N; d++) sum += t[(c * N + d) * N * N + threadIdx.x] * v[((a * N + c) * N + b) * N + d];
    r[blockIdx.x * 256 + threadIdx.x] = sum;
}
