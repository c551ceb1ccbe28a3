// Distances between pairs of places on the globe.
extern "C" __global__ void haversine(const double4 *__restrict__ pairs, double *__restrict__ distances, int n) {
    const double DEGREE = 3.14159265358979323846 / 180.0;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double4 pair = pairs[i];
    double lat1 = pair.x * DEGREE, lon1 = pair.y * DEGREE, lat2 = pair.z * DEGREE, lon2 = pair.w * DEGREE;
    double x = sin((lon2 - lon1) / 2.0), y = sin((lat2 - lat1) / 2.0);
    double h = y * y + cos(lat1) * cos(lat2) * (x * x);
    distances[i] = 2.0 * 6371.0 * asin(sqrt(fmin(h, 1.0)));
}
