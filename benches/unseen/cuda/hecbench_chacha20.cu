// A block of ChaCha20's key stream per thread, added to the text.
__device__ unsigned rotate(unsigned x, int by) { return x << by | x >> (32 - by); }

__device__ void quarter_round(unsigned &a, unsigned &b, unsigned &c, unsigned &d) {
    a += b; d = rotate(d ^ a, 16);
    c += d; b = rotate(b ^ c, 12);
    a += b; d = rotate(d ^ a, 8);
    c += d; b = rotate(b ^ c, 7);
}

extern "C" __global__ void chacha20(const unsigned *__restrict__ key, const unsigned *__restrict__ nonce, const unsigned *__restrict__ text,
                                    unsigned *__restrict__ cipher, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned start[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, state[16];
    for (int k = 0; k < 8; k++) start[4 + k] = key[k];
    start[12] = i;
    for (int k = 0; k < 3; k++) start[13 + k] = nonce[k];
    for (int k = 0; k < 16; k++) state[k] = start[k];
    for (int round = 0; round < 10; round++) {
        for (int c = 0; c < 4; c++) quarter_round(state[c], state[c + 4], state[c + 8], state[c + 12]);
        for (int k = 0; k < 4; k++) quarter_round(state[k], state[4 + (k + 1) % 4], state[8 + (k + 2) % 4], state[12 + (k + 3) % 4]);
    }
    for (int k = 0; k < 16; k++) cipher[16 * i + k] = text[16 * i + k] ^ (state[k] + start[k]);
}
