// Squared distances of queries and vectors, and the least of each row.
const int DIMENSIONS = 64;

extern "C" __global__ void __launch_bounds__(256) l2_distances(const float *__restrict__ queries, const float *__restrict__ vectors,
                                                                float *__restrict__ distances, int columns) {
    __shared__ float q[16][16], v[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int first_query = blockIdx.y * 16, first_vector = blockIdx.x * 16;
    float distance = 0.0f;
    for (int start = 0; start < DIMENSIONS; start += 16) {
        q[ty][tx] = queries[(first_query + ty) * DIMENSIONS + start + tx];
        v[ty][tx] = vectors[(first_vector + ty) * DIMENSIONS + start + tx];
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            float difference = q[ty][k] - v[tx][k];
            distance += difference * difference;
        }
        __syncthreads();
    }
    distances[(first_query + ty) * columns + first_vector + tx] = distance;
}

extern "C" __global__ void __launch_bounds__(128) least_of_rows(const float *__restrict__ distances, int columns, unsigned *__restrict__ nearest,
                                                                 float *__restrict__ least) {
    __shared__ float values[128];
    __shared__ unsigned places[128];
    const float *row = distances + blockIdx.x * columns;
    float value = __int_as_float(0x7f800000);
    unsigned place = 0xffffffffu;
    for (int at = threadIdx.x; at < columns; at += blockDim.x) {
        if (row[at] < value) {
            value = row[at];
            place = at;
        }
    }
    for (int half = 64; half > 0; half /= 2) {
        values[threadIdx.x] = value;
        places[threadIdx.x] = place;
        __syncthreads();
        if (threadIdx.x < half) {
            float other = values[threadIdx.x + half];
            unsigned at = places[threadIdx.x + half];
            if (other < value || (other == value && at < place)) {
                value = other;
                place = at;
            }
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        nearest[blockIdx.x] = place;
        least[blockIdx.x] = value;
    }
}
