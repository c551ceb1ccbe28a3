// Macroscopic cross sections: a search in each nuclide's grid and an interpolation.
const int POINTS = 256, REACTIONS = 5;

struct Point {
    double energy, sections[REACTIONS];
};

struct Lookup {
    double energy;
    unsigned long long material;
};

extern "C" __global__ void lookup(const Lookup *__restrict__ lookups, const unsigned *__restrict__ first, const unsigned *__restrict__ nuclides,
                                  const double *__restrict__ densities, const Point *__restrict__ grids, double *__restrict__ sections, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double energy = lookups[i].energy, sums[REACTIONS] = {0, 0, 0, 0, 0};
    int material = (int)lookups[i].material;
    for (unsigned k = first[material]; k < first[material + 1]; k++) {
        const Point *grid = grids + nuclides[k] * POINTS;
        int left = 0, right = POINTS;
        while (left < right) {
            int middle = (left + right) / 2;
            if (grid[middle].energy <= energy) left = middle + 1;
            else right = middle;
        }
        int above = min(max(left, 1), POINTS - 1);
        const Point &low = grid[above - 1], &high = grid[above];
        double part = (high.energy - energy) / (high.energy - low.energy);
        for (int r = 0; r < REACTIONS; r++) sums[r] += densities[k] * (high.sections[r] - part * (high.sections[r] - low.sections[r]));
    }
    for (int r = 0; r < REACTIONS; r++) sections[REACTIONS * i + r] = sums[r];
}
