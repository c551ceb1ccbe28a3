// Forces between the particles of each box and its neighbours.
const int PARTICLES = 100;

struct Four {
    double v, x, y, z;
};

struct Home {
    int offset, count, neighbours[27];
};

extern "C" __global__ void __launch_bounds__(128) forces_in_boxes(double alpha, const Home *__restrict__ boxes, const Four *__restrict__ positions,
                                                                   const double *__restrict__ charges, Four *__restrict__ forces) {
    __shared__ Four others[PARTICLES];
    __shared__ double other_charges[PARTICLES];
    const Home &home = boxes[blockIdx.x];
    int first = home.offset, tx = threadIdx.x, count = home.count;
    double a2 = 2.0 * alpha * alpha;
    Four own = {0, 0, 0, 0}, force = {0, 0, 0, 0};
    if (tx < PARTICLES) own = positions[first + tx];
    for (int k = 0; k < count; k++) {
        int start = boxes[home.neighbours[k]].offset;
        for (int slot = tx; slot < PARTICLES; slot += 128) {
            others[slot] = positions[start + slot];
            other_charges[slot] = charges[start + slot];
        }
        __syncthreads();
        if (tx < PARTICLES) {
            for (int j = 0; j < PARTICLES; j++) {
                double dot = own.x * others[j].x + own.y * others[j].y + own.z * others[j].z;
                double r2 = own.v + others[j].v - dot;
                double vij = exp(-a2 * r2);
                double fs = 2.0 * vij;
                force.v += other_charges[j] * vij;
                force.x += other_charges[j] * (fs * (own.x - others[j].x));
                force.y += other_charges[j] * (fs * (own.y - others[j].y));
                force.z += other_charges[j] * (fs * (own.z - others[j].z));
            }
        }
        __syncthreads();
    }
    if (tx < PARTICLES) forces[first + tx] = force;
}
