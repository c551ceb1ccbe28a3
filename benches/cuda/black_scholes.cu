// Prices of European calls and puts, one of each per thread: the twin of `black_scholes`.
__device__ float normal(float d) { return 0.5f * erfcf(-d * 0.70710678f); }

extern "C" __global__ void black_scholes(float rate, float volatility, const float *__restrict__ spots, const float *__restrict__ strikes,
                                         const float *__restrict__ times, float *__restrict__ call, float *__restrict__ put,
                                         unsigned long long n) {
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float spot = spots[i], strike = strikes[i], years = times[i];
        float spread = volatility * sqrtf(years);
        float d1 = (logf(spot / strike) + (rate + 0.5f * volatility * volatility) * years) / spread;
        float d2 = d1 - spread;
        float discounted = strike * expf(-rate * years);
        call[i] = spot * normal(d1) - discounted * normal(d2);
        put[i] = discounted * normal(-d2) - spot * normal(-d1);
    }
}
