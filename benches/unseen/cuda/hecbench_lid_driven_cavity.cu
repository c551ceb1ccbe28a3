// A step of the Navier-Stokes equations: the tentative velocity along x, and relaxation of the pressure's red cells.
extern "C" __global__ void tentative_velocity(int n, double h, const double *__restrict__ u, const double *__restrict__ v, double *__restrict__ f) {
    const double STEP = 0.002, REYNOLDS = 1000.0, GAMMA = 0.9;
    int row = blockIdx.y * blockDim.y + threadIdx.y + 1, column = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (row > n || column > n) return;
    int width = n + 2, here = row * width + column;
    if (column == n) {
        f[here] = u[here];
        return;
    }
    double centre = u[here], east = u[here + 1], west = u[here - 1], north = u[here + width], south = u[here - width];
    double above = v[here] + v[here + 1], below = v[here - width] + v[here - width + 1];
    double to_east = centre + east, from_west = west + centre;
    double du2dx = (to_east * to_east - from_west * from_west + GAMMA * (fabs(to_east) * (centre - east) - fabs(from_west) * (west - centre))) / (4.0 * h);
    double duvdy = (above * (centre + north) - below * (south + centre) + GAMMA * (fabs(above) * (centre - north) - fabs(below) * (south - centre))) / (4.0 * h);
    double laplace = (east - 2.0 * centre + west + north - 2.0 * centre + south) / (h * h);
    f[here] = centre + STEP * (laplace / REYNOLDS - du2dx - duvdy);
}

extern "C" __global__ void relax_red(int n, double h, const double *__restrict__ right, double *p) {
    const double OMEGA = 1.7;
    int row = blockIdx.y * blockDim.y + threadIdx.y + 1;
    int column = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1 + row % 2;
    if (row > n || column > n) return;
    int width = n + 2, here = row * width + column;
    double sum = p[here + 1] + p[here - 1] + p[here + width] + p[here - width];
    double gauss = (sum - h * h * right[here]) / 4.0;
    p[here] = (1.0 - OMEGA) * p[here] + OMEGA * gauss;
}
