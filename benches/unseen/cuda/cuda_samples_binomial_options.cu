// European options by a binomial tree of 2048 steps: a block per option, 16 nodes per thread.
#define STEPS 2048
#define THREADS 128
#define OWN (STEPS / THREADS)

__device__ inline float at_expiry(float spot, float strike, float v_dt, int node) {
    float value = spot * expf(v_dt * (2.0f * node - STEPS)) - strike;
    return value > 0.0f ? value : 0.0f;
}

extern "C" __global__ void __launch_bounds__(THREADS) binomial_options(const float *__restrict__ spots, const float *__restrict__ strikes, const float *__restrict__ v_dts,
                                            const float *__restrict__ ups, const float *__restrict__ downs, float *__restrict__ calls) {
    __shared__ float border[THREADS + 1];
    int thread = threadIdx.x, option = blockIdx.x;
    float spot = spots[option], strike = strikes[option], v_dt = v_dts[option], up = ups[option], down = downs[option];
    float call[OWN + 1];
#pragma unroll
    for (int i = 0; i < OWN; i++) call[i] = at_expiry(spot, strike, v_dt, thread * OWN + i);
    if (thread == 0) border[THREADS] = at_expiry(spot, strike, v_dt, STEPS);
    int last = max(0, thread * OWN - 1);
    for (int i = STEPS; i > 0; i--) {
        border[thread] = call[0];
        __syncthreads();
        call[OWN] = border[thread + 1];
        __syncthreads();
        if (i > last) {
#pragma unroll
            for (int j = 0; j < OWN; j++) call[j] = up * call[j + 1] + down * call[j];
        }
    }
    if (thread == 0) calls[option] = call[0];
}
