// 128 bits of hash of each key; keys lie one after the other.
typedef unsigned long long u64;

__device__ u64 rotate(u64 x, int by) { return x << by | x >> (64 - by); }

__device__ u64 final_mix(u64 k) {
    k ^= k >> 33;
    k *= 0xff51afd7ed558ccdull;
    k ^= k >> 33;
    k *= 0xc4ceb9fe1a85ec53ull;
    return k ^ k >> 33;
}

__device__ u64 word(const unsigned char *__restrict__ bytes, int len) {
    u64 word = 0;
    for (int k = 0; k < len; k++) word |= (u64)bytes[k] << (8 * k);
    return word;
}

extern "C" __global__ void murmur3(const unsigned char *__restrict__ bytes, const unsigned *__restrict__ starts, u64 *__restrict__ hashes, int n) {
    const u64 c1 = 0x87c37b91114253d5ull, c2 = 0x4cf5ad432745937full;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned char *key = bytes + starts[i];
    int len = starts[i + 1] - starts[i];
    u64 h1 = i, h2 = i;
    for (int block = 0; block < len / 16; block++) {
        h1 ^= rotate(word(key, 8) * c1, 31) * c2;
        h1 = (rotate(h1, 27) + h2) * 5 + 0x52dce729;
        h2 ^= rotate(word(key + 8, 8) * c2, 33) * c1;
        h2 = (rotate(h2, 31) + h1) * 5 + 0x38495ab5;
        key += 16;
    }
    int tail = len % 16;
    if (tail > 8) h2 ^= rotate(word(key + 8, tail - 8) * c2, 33) * c1;
    h1 ^= rotate(word(key, min(tail, 8)) * c1, 31) * c2;
    h1 ^= len;
    h2 ^= len;
    h1 += h2;
    h2 += h1;
    h1 = final_mix(h1);
    h2 = final_mix(h2);
    h1 += h2;
    hashes[2 * i] = h1;
    hashes[2 * i + 1] = h2 + h1;
}
