// One pass over all pairs: is the way through a given vertex shorter.
extern "C" __global__ void __launch_bounds__(256) pass_through(unsigned *distances, unsigned *path, unsigned n, unsigned pass) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    unsigned old = distances[y * n + x];
    unsigned through = distances[y * n + pass] + distances[pass * n + x];
    if (through < old) {
        distances[y * n + x] = through;
        path[y * n + x] = pass;
    }
}
