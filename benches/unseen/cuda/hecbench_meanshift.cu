// Each point moves to the mean of the points around it, weighted by their distances.
extern "C" __global__ void mean_shifting(float radius, float double_variance, int n, const float2 *__restrict__ data, float2 *__restrict__ shifted) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 here = data[i], position = make_float2(0, 0);
    float weights = 0;
    for (int j = 0; j < n; j++) {
        float2 p = data[j];
        float x = here.x - p.x, y = here.y - p.y, distance = x * x + y * y;
        if (distance <= radius) {
            float weight = expf(-distance / double_variance);
            position.x += weight * p.x;
            position.y += weight * p.y;
            weights += weight;
        }
    }
    shifted[i] = make_float2(position.x / weights, position.y / weights);
}
