// An explicit solver of Euler's equations on an unstructured mesh: step factors, fluxes, time step.
const float GAMMA = 1.4f, SMOOTHING = 0.2f;

struct Cell {
    float density, energy, speed, pressure, sound;
    float3 momentum, velocity;
};

__device__ Cell cell(const float *__restrict__ variables, int i, int n) {
    Cell c;
    c.density = variables[i];
    c.momentum = make_float3(variables[i + n], variables[i + 2 * n], variables[i + 3 * n]);
    c.energy = variables[i + 4 * n];
    c.velocity = make_float3(c.momentum.x / c.density, c.momentum.y / c.density, c.momentum.z / c.density);
    float squared = c.velocity.x * c.velocity.x + c.velocity.y * c.velocity.y + c.velocity.z * c.velocity.z;
    c.pressure = (GAMMA - 1.0f) * (c.energy - 0.5f * c.density * squared);
    c.speed = sqrtf(squared);
    c.sound = sqrtf(GAMMA * c.pressure / c.density);
    return c;
}

// What flows along each axis: of the momentum along x, y, z, and of the energy.
struct Flux {
    float3 x, y, z, energy;
};

__device__ Flux flux(const Cell &c) {
    Flux f;
    float3 v = c.velocity, m = c.momentum;
    f.x = make_float3(v.x * m.x + c.pressure, v.x * m.y, v.x * m.z);
    f.y = make_float3(v.y * m.x, v.y * m.y + c.pressure, v.y * m.z);
    f.z = make_float3(v.z * m.x, v.z * m.y, v.z * m.z + c.pressure);
    float total = c.energy + c.pressure;
    f.energy = make_float3(v.x * total, v.y * total, v.z * total);
    return f;
}

extern "C" __global__ void compute_step_factor(const float *__restrict__ variables, const float *__restrict__ areas, float *__restrict__ factors, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Cell c = cell(variables, i, n);
    factors[i] = 0.5f / (sqrtf(areas[i]) * (c.speed + c.sound));
}

__device__ float along(float factor, float3 a, float3 b, float3 normal) {
    return factor * (normal.x * (a.x + b.x) + normal.y * (a.y + b.y) + normal.z * (a.z + b.z));
}

extern "C" __global__ void compute_flux(const int *__restrict__ surrounding, const float *__restrict__ normals, const float *__restrict__ variables,
                                        const float *__restrict__ far, float *__restrict__ fluxes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Cell own = cell(variables, i, n);
    Flux own_flux = flux(own);
    float density = 0.0f, energy = 0.0f;
    float3 momentum = make_float3(0.0f, 0.0f, 0.0f);
    for (int face = 0; face < 4; face++) {
        int neighbour = surrounding[i + face * n];
        float3 normal = make_float3(normals[i + face * n], normals[i + (face + 4) * n], normals[i + (face + 8) * n]);
        float length = sqrtf(normal.x * normal.x + normal.y * normal.y + normal.z * normal.z);
        if (neighbour == -1) {
            momentum.x += normal.x * own.pressure;
            momentum.y += normal.y * own.pressure;
            momentum.z += normal.z * own.pressure;
        } else if (neighbour >= 0 || neighbour == -2) {
            Cell other = neighbour >= 0 ? cell(variables, neighbour, n) : cell(far, 0, 1);
            if (neighbour >= 0) {
                float factor = -length * SMOOTHING * 0.5f * (own.speed + other.speed + own.sound + other.sound);
                density += factor * (own.density - other.density);
                energy += factor * (own.energy - other.energy);
                momentum.x += factor * (own.momentum.x - other.momentum.x);
                momentum.y += factor * (own.momentum.y - other.momentum.y);
                momentum.z += factor * (own.momentum.z - other.momentum.z);
            }
            Flux f = flux(other);
            density += along(0.5f, own.momentum, other.momentum, normal);
            energy += along(0.5f, own_flux.energy, f.energy, normal);
            momentum.x += along(0.5f, own_flux.x, f.x, normal);
            momentum.y += along(0.5f, own_flux.y, f.y, normal);
            momentum.z += along(0.5f, own_flux.z, f.z, normal);
        }
    }
    fluxes[i] = density;
    fluxes[i + n] = momentum.x;
    fluxes[i + 2 * n] = momentum.y;
    fluxes[i + 3 * n] = momentum.z;
    fluxes[i + 4 * n] = energy;
}

extern "C" __global__ void time_step(int substep, const float *__restrict__ old, const float *__restrict__ factors, const float *__restrict__ fluxes,
                                     float *__restrict__ variables, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float factor = factors[i] / (float)(4 - substep);
    for (int k = 0; k < 5; k++) variables[i + k * n] = old[i + k * n] + factor * fluxes[i + k * n];
}
