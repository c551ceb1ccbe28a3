// One step of the heat equation in a stack of layers, a thread for each column of cells.
extern "C" __global__ void step_of_layers(float centre_factor, float west_east, float north_south, float below_above, float step_by_capacity, int columns,
                                          int rows, int layers, const float *__restrict__ power, const float *__restrict__ source,
                                          float *__restrict__ target) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= columns || y >= rows) return;
    int layer = columns * rows, here = x + y * columns;
    int west = x == 0 ? here : here - 1, east = x == columns - 1 ? here : here + 1;
    int north = y == 0 ? here : here - columns, south = y == rows - 1 ? here : here + columns;
    float below = source[here], centre = source[here];
    for (int z = 0; z < layers; z++) {
        float above = z + 1 < layers ? source[here + layer] : centre;
        int start = z * layer;
        target[here] = centre_factor * centre + west_east * (source[start + west] + source[start + east]) +
                       north_south * (source[start + north] + source[start + south]) + below_above * (below + above) + step_by_capacity * power[here] +
                       below_above * 80.0f;
        below = centre;
        centre = above;
        here += layer;
    }
}
