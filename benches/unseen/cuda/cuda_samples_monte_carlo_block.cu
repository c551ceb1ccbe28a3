// European options by Monte Carlo over given normal numbers: a block per option, sums of values and of their squares.
extern "C" __global__ void __launch_bounds__(256) monte_carlo_one_block(const float *__restrict__ spots, const float *__restrict__ strikes, const float *__restrict__ drifts,
                                                 const float *__restrict__ volatilities, const float *__restrict__ normals,
                                                 float2 *__restrict__ results, int paths) {
    __shared__ float sums[256], squares[256];
    int thread = threadIdx.x, option = blockIdx.x;
    float spot = spots[option], strike = strikes[option], drift = drifts[option], volatility = volatilities[option];
    float sum = 0.0f, square = 0.0f;
    for (int path = thread; path < paths; path += blockDim.x) {
        float value = spot * expf(drift + volatility * normals[path]) - strike;
        value = value > 0.0f ? value : 0.0f;
        sum += value;
        square += value * value;
    }
    for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        sums[thread] = sum;
        squares[thread] = square;
        __syncthreads();
        if (thread < stride) {
            sum += sums[thread + stride];
            square += squares[thread + stride];
        }
        __syncthreads();
    }
    if (thread == 0) results[option] = make_float2(sum, square);
}
