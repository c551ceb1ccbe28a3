// A level of a breadth-first search in two kernels.
struct Node {
    int start, edges;
};

extern "C" __global__ void expand(const Node *__restrict__ nodes, const int *__restrict__ targets, unsigned char *mask,
                                  const unsigned char *__restrict__ visited, unsigned char *updating, int *cost, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && mask[i]) {
        mask[i] = 0;
        Node node = nodes[i];
        for (int edge = node.start; edge < node.start + node.edges; edge++) {
            int target = targets[edge];
            if (!visited[target]) {
                cost[target] = cost[i] + 1;
                updating[target] = 1;
            }
        }
    }
}

extern "C" __global__ void advance(unsigned char *mask, unsigned char *visited, unsigned char *updating, unsigned *over, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && updating[i]) {
        mask[i] = 1;
        visited[i] = 1;
        *over = 1;
        updating[i] = 0;
    }
}
