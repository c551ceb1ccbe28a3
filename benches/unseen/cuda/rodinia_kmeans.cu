// The nearest centre of each point, and the transposition of the features.
const int FEATURES = 34;

extern "C" __global__ void __launch_bounds__(256) invert_mapping(const float *__restrict__ input, float *__restrict__ output, int points) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < points)
        for (int feature = 0; feature < FEATURES; feature++) output[i + points * feature] = input[i * FEATURES + feature];
}

extern "C" __global__ void __launch_bounds__(256) nearest_centre(const float *__restrict__ features, const float *__restrict__ centres, int clusters,
                                                                  int points, int *__restrict__ membership) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= points) return;
    int best = -1;
    float least = 3.40282347e38f;
    for (int c = 0; c < clusters; c++) {
        float distance = 0.0f;
        for (int feature = 0; feature < FEATURES; feature++) {
            float difference = features[i + feature * points] - centres[c * FEATURES + feature];
            distance += difference * difference;
        }
        if (distance < least) {
            least = distance;
            best = c;
        }
    }
    membership[i] = best;
}
