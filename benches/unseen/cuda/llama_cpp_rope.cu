// Pairs of neighbours in a row turn by an angle that depends on position and pair.
extern "C" __global__ void rope(const float2 *__restrict__ x, const int *__restrict__ positions, float2 *__restrict__ y, int columns,
                                int rows_per_position, float theta_scale, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int pairs = columns / 2, row = i / pairs, pair = i % pairs;
    float theta = positions[row / rows_per_position] * powf(theta_scale, (float)pair);
    float s = sinf(theta), c = cosf(theta);
    float2 v = x[i];
    y[i] = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
}
