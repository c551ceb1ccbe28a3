// Embeddings of tokens and of their positions, added.
extern "C" __global__ void encoder_forward(float *__restrict__ output, const int *__restrict__ tokens, const float *__restrict__ by_token,
                                           const float *__restrict__ by_position, int batch, int time, int channels) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= batch * time * channels) return;
    int row = i / channels, c = i % channels;
    output[i] = by_token[tokens[row] * channels + c] + by_position[row % time * channels + c];
}
