// The matrix Q of a reconstruction: for each point the sum over all samples of the spectrum.
extern "C" __global__ void compute_phi_mag(const float *__restrict__ real, const float *__restrict__ imaginary, float *__restrict__ phi_mag, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) phi_mag[i] = real[i] * real[i] + imaginary[i] * imaginary[i];
}

extern "C" __global__ void compute_q(const float4 *__restrict__ samples, const float *__restrict__ xs, const float *__restrict__ ys, const float *__restrict__ zs,
                                     float *__restrict__ q_real, float *__restrict__ q_imaginary, int count, int points) {
    int point = blockIdx.x * blockDim.x + threadIdx.x;
    if (point >= points) return;
    float x = xs[point], y = ys[point], z = zs[point], real = 0.0f, imaginary = 0.0f;
    for (int k = 0; k < count; k++) {
        float4 sample = samples[k];
        float angle = 6.28318530718f * (sample.x * x + sample.y * y + sample.z * z);
        real += sample.w * cosf(angle);
        imaginary += sample.w * sinf(angle);
    }
    q_real[point] = real;
    q_imaginary[point] = imaginary;
}
