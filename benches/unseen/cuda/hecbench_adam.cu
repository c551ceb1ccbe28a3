// Steps of the optimiser Adam with the same gradients.
extern "C" __global__ void adam(float b1, float b2, float eps, float scale, float step, float decay, int steps, const float *__restrict__ gradients,
                                float *__restrict__ p, float *__restrict__ m, float *__restrict__ v, int n) {
    for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < n; at += gridDim.x * blockDim.x) {
        for (int t = 1; t <= steps; t++) {
            float gradient = gradients[at] / scale;
            m[at] = b1 * m[at] + (1.0f - b1) * gradient;
            v[at] = b2 * v[at] + (1.0f - b2) * gradient * gradient;
            float m_corrected = m[at] / (1.0f - powf(b1, (float)t));
            float v_corrected = v[at] / (1.0f - powf(b2, (float)t));
            float update = m_corrected / (sqrtf(v_corrected) + eps) + decay * p[at];
            p[at] -= step * update;
        }
    }
}
