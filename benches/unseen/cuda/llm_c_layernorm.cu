// A warp normalises a row; backwards it also adds to gradients that all rows share.
__device__ float over_warp(float x) {
    for (int flip = 16; flip > 0; flip /= 2) x += __shfl_xor_sync(0xffffffffu, x, flip);
    return x;
}

extern "C" __global__ void layernorm_forward(float *__restrict__ output, float *__restrict__ mean, float *__restrict__ rstd, const float *__restrict__ input,
                                             const float *__restrict__ weight, const float *__restrict__ bias, int rows, int channels) {
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    const float *x = input + row * channels;
    float sum = 0.0f;
    for (int c = lane; c < channels; c += 32) sum += x[c];
    float m = over_warp(sum) / channels;
    sum = 0.0f;
    for (int c = lane; c < channels; c += 32) {
        float away = x[c] - m;
        sum += away * away;
    }
    float s = rsqrtf(over_warp(sum) / channels + 1e-5f);
    if (lane == 0) {
        mean[row] = m;
        rstd[row] = s;
    }
    for (int c = lane; c < channels; c += 32) output[row * channels + c] = s * (x[c] - m) * weight[c] + bias[c];
}

extern "C" __global__ void layernorm_backward(float *__restrict__ d_input, float *d_weight, float *d_bias, const float *__restrict__ d_output,
                                              const float *__restrict__ input, const float *__restrict__ weight, const float *__restrict__ mean,
                                              const float *__restrict__ rstd, int rows, int channels) {
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    const float *d = d_output + row * channels, *x = input + row * channels;
    float m = mean[row], s = rstd[row], sum = 0.0f, sum_normal = 0.0f;
    for (int c = lane; c < channels; c += 32) {
        float normal = (x[c] - m) * s, d_normal = weight[c] * d[c];
        sum += d_normal;
        sum_normal += d_normal * normal;
    }
    sum = over_warp(sum) / channels;
    sum_normal = over_warp(sum_normal) / channels;
    for (int c = lane; c < channels; c += 32) {
        float normal = (x[c] - m) * s, d_normal = weight[c] * d[c];
        atomicAdd(&d_bias[c], d[c]);
        atomicAdd(&d_weight[c], normal * d[c]);
        d_input[row * channels + c] += (d_normal - sum - normal * sum_normal) * s;
    }
}
