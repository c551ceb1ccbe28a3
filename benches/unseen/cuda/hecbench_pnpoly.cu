// Which points lie in a polygon.
extern "C" __global__ void point_in_polygon(const float2 *__restrict__ points, int n, const float2 *__restrict__ corners, int count,
                                            int *__restrict__ inside) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 p = points[i];
    int odd = 0;
    for (int j = 0, k = count - 1; j < count; k = j++) {
        float2 vj = corners[j], vk = corners[k];
        if ((vj.y > p.y) != (vk.y > p.y) && p.x < (vk.x - vj.x) * (p.y - vj.y) / (vk.y - vj.y) + vj.x) odd = !odd;
    }
    inside[i] = odd;
}
