// SHA3-256 of short messages, one per thread.
typedef unsigned long long u64;

__constant__ u64 ROUND_CONSTANTS[24] = {
    0x0000000000000001ull, 0x0000000000008082ull, 0x800000000000808aull, 0x8000000080008000ull, 0x000000000000808bull, 0x0000000080000001ull,
    0x8000000080008081ull, 0x8000000000008009ull, 0x000000000000008aull, 0x0000000000000088ull, 0x0000000080008009ull, 0x000000008000000aull,
    0x000000008000808bull, 0x800000000000008bull, 0x8000000000008089ull, 0x8000000000008003ull, 0x8000000000008002ull, 0x8000000000000080ull,
    0x000000000000800aull, 0x800000008000000aull, 0x8000000080008081ull, 0x8000000000008080ull, 0x0000000080000001ull, 0x8000000080008008ull};
__constant__ int ROTATIONS[24] = {1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44};
__constant__ int PLACES[24] = {10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1};

__device__ u64 rotate(u64 x, int by) { return x << by | x >> (64 - by); }

__device__ void permute(u64 *state) {
    for (int round = 0; round < 24; round++) {
        u64 parity[5];
#pragma unroll
        for (int x = 0; x < 5; x++) parity[x] = state[x] ^ state[x + 5] ^ state[x + 10] ^ state[x + 15] ^ state[x + 20];
#pragma unroll
        for (int x = 0; x < 5; x++) {
            u64 mix = parity[(x + 4) % 5] ^ rotate(parity[(x + 1) % 5], 1);
#pragma unroll
            for (int y = 0; y < 5; y++) state[5 * y + x] ^= mix;
        }
        u64 carried = state[1];
#pragma unroll
        for (int k = 0; k < 24; k++) {
            u64 next = state[PLACES[k]];
            state[PLACES[k]] = rotate(carried, ROTATIONS[k]);
            carried = next;
        }
#pragma unroll
        for (int y = 0; y < 25; y += 5) {
            u64 old[5];
#pragma unroll
            for (int x = 0; x < 5; x++) old[x] = state[y + x];
#pragma unroll
            for (int x = 0; x < 5; x++) state[y + x] = old[x] ^ (~old[(x + 1) % 5] & old[(x + 2) % 5]);
        }
        state[0] ^= ROUND_CONSTANTS[round];
    }
}

extern "C" __global__ void sha3_256(const u64 *__restrict__ messages, u64 *__restrict__ digests, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    u64 state[25];
    for (int k = 0; k < 25; k++) state[k] = k < 8 ? messages[i * 8 + k] : 0;
    state[8] ^= 0x06;
    state[16] ^= 1ull << 63;
    permute(state);
    for (int k = 0; k < 4; k++) digests[i * 4 + k] = state[k];
}
