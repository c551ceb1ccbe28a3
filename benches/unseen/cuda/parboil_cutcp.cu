// The potential of charges with a cutoff, on a grid of points: a thread per point, all charges of a list.
extern "C" __global__ void cutoff_potential(float z, float spacing, float cutoff2, const float4 *__restrict__ charges, float *__restrict__ potential,
                                            int count, int n) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= n || row >= n) return;
    float x = column * spacing, y = row * spacing, inverse_cutoff2 = 1.0f / cutoff2, energy = 0.0f;
    for (int k = 0; k < count; k++) {
        float4 charge = charges[k];
        float dx = charge.x - x, dy = charge.y - y, dz = charge.z - z, r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < cutoff2) {
            float smooth = 1.0f - r2 * inverse_cutoff2;
            energy += charge.w * rsqrtf(r2) * smooth * smooth;
        }
    }
    potential[row * n + column] += energy;
}
