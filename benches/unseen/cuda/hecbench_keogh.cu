// A lower bound of the distance of a query to each window of a series.
extern "C" __global__ void lower_bound(const float *__restrict__ subject, const float *__restrict__ averages, const float *__restrict__ deviations,
                                       const float *__restrict__ lower, const float *__restrict__ upper, float *__restrict__ bounds, int len, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float average = averages[i], deviation = deviations[i], sum = 0.0f;
    for (int k = 0; k < len; k++) {
        float value = (subject[i + k] - average) / deviation, away = 0.0f;
        if (value < lower[k]) away = lower[k] - value;
        else if (value > upper[k]) away = value - upper[k];
        sum += away * away;
    }
    bounds[i] = sum;
}
