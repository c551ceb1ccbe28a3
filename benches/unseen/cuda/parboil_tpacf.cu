// The two-point angular correlation: for pairs of directions, into which bin their distance falls; found by binary search, counted by atomics.
#define BINS 20
extern "C" __global__ void __launch_bounds__(256) tpacf(const float3 *__restrict__ first, const float3 *__restrict__ second, const float *__restrict__ limits,
                                 unsigned *__restrict__ histogram, int n, int m) {
    __shared__ unsigned counts[BINS + 2];
    if (threadIdx.x < BINS + 2) counts[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float3 own = first[i];
        for (int k = 0; k < m; k++) {
            float3 other = second[k];
            float cosine = own.x * other.x + own.y * other.y + own.z * other.z;
            int low = 0, high = BINS;
            while (high > low + 1) {
                int middle = (low + high) / 2;
                if (cosine >= limits[middle])
                    high = middle;
                else
                    low = middle;
            }
            int bin = cosine >= limits[low] ? low : cosine < limits[high] ? high + 1 : high;
            atomicAdd(&counts[bin], 1u);
        }
    }
    __syncthreads();
    if (threadIdx.x < BINS + 2) atomicAdd(&histogram[threadIdx.x], counts[threadIdx.x]);
}
