// The place of each value in sorted numbers.
typedef unsigned long long place;

extern "C" __global__ void search(const float *__restrict__ sorted, const float *__restrict__ values, place *__restrict__ places, place count, place n) {
    place i = (place)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float value = values[i];
    place low = 0, high = n;
    while (high - low > 1) {
        place middle = low + (high - low) / 2;
        if (value < sorted[middle])
            high = middle;
        else
            low = middle;
    }
    places[i] = low;
}

extern "C" __global__ void search_by_bits(const float *__restrict__ sorted, const float *__restrict__ values, place *__restrict__ places, place count, place n) {
    place i = (place)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    unsigned bits = 0;
    while (n >> bits) bits++;
    place k = 1ULL << (bits - 1);
    float value = values[i];
    place index = sorted[k] <= value ? k : 0;
    while (k >>= 1) {
        place next = index | k;
        if (next < n && value >= sorted[next]) index = next;
    }
    places[i] = index;
}
