// What opening a further centre would change for each point.
const int DIMENSIONS = 16;

extern "C" __global__ void __launch_bounds__(256) compute_cost(int points, int candidate, int centres, const float *__restrict__ weights,
                                                                const float *__restrict__ costs, const int *__restrict__ assigned,
                                                                const float *__restrict__ coordinates, const int *__restrict__ table,
                                                                unsigned char *__restrict__ switches, float *__restrict__ work) {
    __shared__ float centre[DIMENSIONS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int d = threadIdx.x; d < DIMENSIONS; d += blockDim.x) centre[d] = coordinates[d * points + candidate];
    __syncthreads();
    if (i >= points) return;
    float distance = 0.0f;
    for (int d = 0; d < DIMENSIONS; d++) {
        float difference = coordinates[d * points + i] - centre[d];
        distance += difference * difference;
    }
    float *row = work + i * (centres + 1);
    float price = distance * weights[i], current = costs[i];
    if (price < current) {
        switches[i] = 1;
        row[centres] += price - current;
    } else {
        row[table[assigned[i]]] += current - price;
    }
}
