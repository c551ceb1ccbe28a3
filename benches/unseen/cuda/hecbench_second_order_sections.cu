// A chain of filters of second order, one signal per thread.
const int SECTIONS = 4;

extern "C" __global__ void filter(const float *__restrict__ coefficients, const float *__restrict__ start, const float *__restrict__ input,
                                  float *__restrict__ output, int signals, int samples) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= signals) return;
    float state[SECTIONS][2];
    for (int s = 0; s < SECTIONS; s++)
        for (int k = 0; k < 2; k++) state[s][k] = start[2 * s + k];
    for (int t = 0; t < samples; t++) {
        float x = input[t * signals + i];
        for (int s = 0; s < SECTIONS; s++) {
            const float *c = coefficients + 6 * s;
            float y = c[0] * x + state[s][0];
            state[s][0] = c[1] * x - c[4] * y + state[s][1];
            state[s][1] = c[2] * x - c[5] * y;
            x = y;
        }
        output[t * signals + i] = x;
    }
}
