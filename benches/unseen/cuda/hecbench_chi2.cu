// How three variants are distributed among cases and controls, by Pearson's test, a thread per position.
__device__ void count(int *counts, const unsigned char *__restrict__ variants, int from, int to, int columns, int column) {
    for (int row = from; row < to; row++) {
        unsigned char variant = variants[row * columns + column];
        if (variant == '0') counts[0]++;
        else if (variant == '1') counts[1]++;
        else if (variant == '2') counts[2]++;
    }
}

extern "C" __global__ void chi_squared(int cases, int controls, int columns, const unsigned char *__restrict__ variants, float *__restrict__ results) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    int a[3] = {1, 1, 1}, b[3] = {1, 1, 1}, of_cases = 1, of_controls = 1;
    count(a, variants, 0, cases, columns, column);
    count(b, variants, cases, cases + controls, columns, column);
    for (int p = 0; p < 3; p++) {
        of_cases += a[p];
        of_controls += b[p];
    }
    float all = of_cases + of_controls, sum = 0.0f;
    for (int p = 0; p < 3; p++) {
        float both = a[p] + b[p], expected_cases = of_cases * both / all, expected_controls = of_controls * both / all;
        float off_cases = a[p] - expected_cases, off_controls = b[p] - expected_controls;
        sum += off_cases * off_cases / expected_cases + off_controls * off_controls / expected_controls;
    }
    results[column] = sum;
}
