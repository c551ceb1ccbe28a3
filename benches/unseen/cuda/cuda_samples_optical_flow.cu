// A step of Jacobi's method for the displacements between two images, through two tiles with a border.
extern "C" __global__ void __launch_bounds__(192)
    jacobi_iteration(int width, int height, float alpha, const float *__restrict__ du, const float *__restrict__ dv, const float *__restrict__ along_x,
                     const float *__restrict__ along_y, const float *__restrict__ in_time, float *__restrict__ new_du, float *__restrict__ new_dv) {
    __shared__ float u[8 * 34], v[8 * 34];
    int left = blockIdx.x * 32, top = blockIdx.y * 6;
    for (int slot = threadIdx.x + threadIdx.y * 32; slot < 8 * 34; slot += 192) {
        int x = min(max(left + slot % 34 - 1, 0), width - 1), y = min(max(top + slot / 34 - 1, 0), height - 1);
        u[slot] = du[x + y * width];
        v[slot] = dv[x + y * width];
    }
    __syncthreads();
    int x = left + threadIdx.x, y = top + threadIdx.y;
    if (x >= width || y >= height) return;
    int at = x + y * width, here = threadIdx.x + 1 + (threadIdx.y + 1) * 34;
    float mean_u = (u[here - 1] + u[here + 1] + u[here + 34] + u[here - 34]) * 0.25f;
    float mean_v = (v[here - 1] + v[here + 1] + v[here + 34] + v[here - 34]) * 0.25f;
    float dx = along_x[at], dy = along_y[at];
    float part = (dx * mean_u + dy * mean_v + in_time[at]) / (dx * dx + dy * dy + alpha);
    new_du[at] = mean_u - dx * part;
    new_dv[at] = mean_v - dy * part;
}
