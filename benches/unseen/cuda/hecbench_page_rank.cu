// A step of the power iteration: shares of each page, then sums over incoming links.
extern "C" __global__ void shares(const float *__restrict__ ranks, const unsigned *__restrict__ out_degrees, float *__restrict__ shares, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    shares[i] = out_degrees[i] == 0 ? 0.0f : ranks[i] / (float)out_degrees[i];
}

extern "C" __global__ void gather(float damping, const unsigned *__restrict__ starts, const unsigned *__restrict__ sources,
                                  const float *__restrict__ shares, float *__restrict__ ranks, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (unsigned at = starts[i]; at < starts[i + 1]; at++) sum += shares[sources[at]];
    ranks[i] = (1.0f - damping) / (float)n + damping * sum;
}
