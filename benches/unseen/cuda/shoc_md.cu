// Lennard-Jones forces from lists of neighbours: a thread per atom.
extern "C" __global__ void compute_lj_force(float cutoff2, const float4 *__restrict__ positions, const unsigned *__restrict__ neighbours,
                                            float4 *__restrict__ forces, int atoms, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= atoms) return;
    float4 own = positions[i];
    float3 sum = make_float3(0.0f, 0.0f, 0.0f);
    for (int k = 0; k < count; k++) {
        float4 other = positions[neighbours[k * atoms + i]];
        float dx = own.x - other.x, dy = own.y - other.y, dz = own.z - other.z, r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < cutoff2) {
            r2 = 1.0f / r2;
            float r6 = r2 * r2 * r2, strength = r2 * r6 * (1.5f * r6 - 2.0f);
            sum.x += dx * strength;
            sum.y += dy * strength;
            sum.z += dz * strength;
        }
    }
    forces[i] = make_float4(sum.x, sum.y, sum.z, 0.0f);
}
