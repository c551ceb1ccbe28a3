// Products of complex 3 by 3 matrices on a lattice, an element of the result per thread.
extern "C" __global__ void mult_su3(const float2 *__restrict__ a, const float2 *__restrict__ b, float2 *__restrict__ c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int site = i / 36, link = i % 36 / 9, row = i % 9 / 3, column = i % 3;
    float2 sum = make_float2(0.0f, 0.0f);
    for (int k = 0; k < 3; k++) {
        float2 x = a[site * 36 + link * 9 + row * 3 + k], y = b[link * 9 + k * 3 + column];
        sum.x += x.x * y.x - x.y * y.y;
        sum.y += x.x * y.y + x.y * y.x;
    }
    c[i] = sum;
}
