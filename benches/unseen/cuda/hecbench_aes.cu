// Ten rounds of AES-128 by tables, a block of 16 bytes per thread.
extern "C" __global__ void encrypt(const unsigned *__restrict__ keys, const unsigned *__restrict__ mixed, const unsigned char *__restrict__ substitution,
                                   const unsigned *__restrict__ text, unsigned *__restrict__ cipher, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned state[4], next[4];
    for (int k = 0; k < 4; k++) state[k] = text[4 * i + k] ^ keys[k];
    for (int round = 1; round < 10; round++) {
        for (int column = 0; column < 4; column++) {
            next[column] = keys[4 * round + column];
            for (int row = 0; row < 4; row++) {
                unsigned word = mixed[(state[(column + row) % 4] >> (8 * row)) & 0xff];
                next[column] ^= __funnelshift_l(word, word, 8 * row);
            }
        }
        for (int k = 0; k < 4; k++) state[k] = next[k];
    }
    for (int column = 0; column < 4; column++) {
        unsigned word = keys[40 + column];
        for (int row = 0; row < 4; row++) word ^= (unsigned)substitution[(state[(column + row) % 4] >> (8 * row)) & 0xff] << (8 * row);
        cipher[4 * i + column] = word;
    }
}
