// Common neighbours of the ends of each edge, by bisection, and weights of edges made of them.
extern "C" __global__ void intersections(int n, const int *__restrict__ starts, const int *__restrict__ targets, float *common, float *__restrict__ sums) {
    for (int row = blockIdx.z * blockDim.z + threadIdx.z; row < n; row += gridDim.z * blockDim.z) {
        for (int j = starts[row] + blockIdx.y * blockDim.y + threadIdx.y; j < starts[row + 1]; j += gridDim.y * blockDim.y) {
            int column = targets[j];
            int ni = starts[row + 1] - starts[row], nj = starts[column + 1] - starts[column];
            int shorter = ni < nj ? row : column, longer = ni < nj ? column : row;
            if (blockIdx.x * blockDim.x + threadIdx.x == 0) sums[j] = (float)(ni + nj);
            for (int i = starts[shorter] + blockIdx.x * blockDim.x + threadIdx.x; i < starts[shorter + 1]; i += gridDim.x * blockDim.x) {
                int wanted = targets[i];
                int left = starts[longer], right = starts[longer + 1] - 1;
                while (left <= right) {
                    int middle = (left + right) >> 1;
                    int found = targets[middle];
                    if (found > wanted) right = middle - 1;
                    else if (found < wanted) left = middle + 1;
                    else {
                        atomicAdd(&common[j], 1.0f);
                        break;
                    }
                }
            }
        }
    }
}

extern "C" __global__ void weights(int edges, const float *__restrict__ common, const float *__restrict__ sums, float *__restrict__ weights) {
    for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < edges; j += gridDim.x * blockDim.x) weights[j] = common[j] / (sums[j] - common[j]);
}
