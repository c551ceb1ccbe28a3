// Bits of words, counted by halves, and by clearing one after the other.
typedef unsigned long long u64;

extern "C" __global__ void count_by_halves(const u64 *__restrict__ words, int *__restrict__ counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64 x = words[i];
    x -= (x >> 1) & 0x5555555555555555ull;
    x = (x & 0x3333333333333333ull) + ((x >> 2) & 0x3333333333333333ull);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full;
    counts[i] = (int)((x * 0x0101010101010101ull) >> 56);
}

extern "C" __global__ void count_by_clearing(const u64 *__restrict__ words, int *__restrict__ counts, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int count = 0;
    for (u64 x = words[i]; x; x &= x - 1) count++;
    counts[i] = count;
}
