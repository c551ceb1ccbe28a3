// Residual sum, GELU and its gradient: one element per thread.
const float FACTOR = 0.7978846f;

extern "C" __global__ void residual_forward(float *__restrict__ sum, const float *__restrict__ a, const float *__restrict__ b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] = a[i] + b[i];
}

extern "C" __global__ void gelu_forward(float *__restrict__ output, const float *__restrict__ input, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = input[i];
    float cube = 0.044715f * x * x * x;
    output[i] = 0.5f * x * (1.0f + tanhf(FACTOR * (x + cube)));
}

extern "C" __global__ void gelu_backward(float *__restrict__ d_input, const float *__restrict__ input, const float *__restrict__ d_output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = input[i];
    float cube = 0.044715f * x * x * x;
    float argument = FACTOR * (x + cube);
    float tanh = tanhf(argument), cosh = coshf(argument);
    float sech = 1.0f / (cosh * cosh);
    float slope = 0.5f * (1.0f + tanh) + x * 0.5f * sech * FACTOR * (1.0f + 3.0f * 0.044715f * x * x);
    d_input[i] = slope * d_output[i];
}
