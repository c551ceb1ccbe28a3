// How likely each particle is by the pixels around it, and the search for resampling.
extern "C" __global__ void likelihood(const double *__restrict__ array_x, const double *__restrict__ array_y, const int2 *__restrict__ offsets, int ones,
                                      const unsigned char *__restrict__ image, int pixels, double *__restrict__ likelihood,
                                      double *__restrict__ weights, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int x = (int)round(array_x[i]), y = (int)round(array_y[i]);
    double sum = 0.0;
    for (int k = 0; k < ones; k++) {
        int index = abs((y + offsets[k].x) * 256 + x + offsets[k].y);
        if (index >= pixels) index = 0;
        double pixel = image[index];
        sum += ((pixel - 100.0) * (pixel - 100.0) - (pixel - 228.0) * (pixel - 228.0)) / 50.0;
    }
    likelihood[i] = sum / ones;
    weights[i] *= exp(likelihood[i] - 300.0);
}

extern "C" __global__ void find_index(const double *__restrict__ array_x, const double *__restrict__ array_y, const double *__restrict__ cumulated,
                                      const double *__restrict__ u, double *__restrict__ new_x, double *__restrict__ new_y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int index = -1;
    for (int k = 0; k < n; k++) {
        if (cumulated[k] >= u[i]) {
            index = k;
            break;
        }
    }
    if (index == -1) index = n - 1;
    new_x[i] = array_x[index];
    new_y[i] = array_y[index];
}
