// The distance of each place to a given one.
struct Place {
    float latitude, longitude;
};

extern "C" __global__ void euclid(const Place *__restrict__ places, int n, float latitude, float longitude, float *__restrict__ distances) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Place place = places[i];
        float dy = latitude - place.latitude, dx = longitude - place.longitude;
        distances[i] = sqrtf(dy * dy + dx * dx);
    }
}
