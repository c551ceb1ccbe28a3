// Speckle-reducing diffusion of an image that lies column by column, and the sums of blocks of it.
extern "C" __global__ void srad(int rows, int pixels, const int *__restrict__ north, const int *__restrict__ south, const int *__restrict__ east,
                                const int *__restrict__ west, const float *__restrict__ image, float q0_squared, float *__restrict__ d_north,
                                float *__restrict__ d_south, float *__restrict__ d_west, float *__restrict__ d_east, float *__restrict__ coefficient) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels) return;
    int row = i % rows, column = i / rows;
    float here = image[i];
    float n = image[north[row] + rows * column] - here;
    float s = image[south[row] + rows * column] - here;
    float w = image[row + rows * west[column]] - here;
    float e = image[row + rows * east[column]] - here;
    float g2 = (n * n + s * s + w * w + e * e) / (here * here);
    float l = (n + s + w + e) / here;
    float num = 0.5f * g2 - (1.0f / 16.0f) * (l * l);
    float den = 1.0f + 0.25f * l;
    float q_squared = num / (den * den);
    den = (q_squared - q0_squared) / (q0_squared * (1.0f + q0_squared));
    float c = 1.0f / (1.0f + den);
    if (c < 0.0f) c = 0.0f;
    else if (c > 1.0f) c = 1.0f;
    d_north[i] = n;
    d_south[i] = s;
    d_west[i] = w;
    d_east[i] = e;
    coefficient[i] = c;
}

extern "C" __global__ void srad2(int rows, int pixels, float lambda, const int *__restrict__ south, const int *__restrict__ east,
                                 const float *__restrict__ d_north, const float *__restrict__ d_south, const float *__restrict__ d_west,
                                 const float *__restrict__ d_east, const float *__restrict__ coefficient, float *__restrict__ image) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels) return;
    int row = i % rows, column = i / rows;
    float c = coefficient[i];
    float c_south = coefficient[south[row] + rows * column];
    float c_east = coefficient[row + rows * east[column]];
    float divergence = c * d_north[i] + c_south * d_south[i] + c * d_west[i] + c_east * d_east[i];
    image[i] += 0.25f * lambda * divergence;
}

extern "C" __global__ void __launch_bounds__(512) sums(int pixels, const float *__restrict__ image, float2 *__restrict__ sums) {
    __shared__ float sum[512], square[512];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    float pixel = i < pixels ? image[i] : 0.0f;
    sum[t] = pixel;
    square[t] = pixel * pixel;
    for (int half = 256; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) {
            sum[t] += sum[t + half];
            square[t] += square[t + half];
        }
    }
    if (t == 0) sums[blockIdx.x] = make_float2(sum[0], square[0]);
}
