// From rows of three times all heads to a matrix per head, and back.
extern "C" __global__ void permute(float *__restrict__ q, float *__restrict__ k, float *__restrict__ v, const float *__restrict__ input, int batch, int time,
                                   int heads, int size) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= batch * time * heads * size) return;
    int b = i / (heads * time * size), rest = i % (heads * time * size);
    int head = rest / (time * size);
    rest %= time * size;
    int t = rest / size, d = rest % size;
    int channels = heads * size, from = (b * time + t) * 3 * channels + head * size + d;
    q[i] = input[from];
    k[i] = input[from + channels];
    v[i] = input[from + 2 * channels];
}

extern "C" __global__ void unpermute(const float *__restrict__ input, float *__restrict__ output, int batch, int time, int heads, int size) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= batch * time * heads * size) return;
    int b = i / (heads * time * size), rest = i % (heads * time * size);
    int head = rest / (time * size);
    rest %= time * size;
    int t = rest / size, d = rest % size;
    output[((b * time + t) * heads + head) * size + d] = input[i];
}
