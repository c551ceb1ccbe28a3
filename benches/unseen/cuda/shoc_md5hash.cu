// A search for a key by its MD5 digest: each thread hashes ten keys of the key space.
__constant__ unsigned table[64] = {
    0xd76aa478u, 0xe8c7b756u, 0x242070dbu, 0xc1bdceeeu, 0xf57c0fafu, 0x4787c62au, 0xa8304613u, 0xfd469501u,
    0x698098d8u, 0x8b44f7afu, 0xffff5bb1u, 0x895cd7beu, 0x6b901122u, 0xfd987193u, 0xa679438eu, 0x49b40821u,
    0xf61e2562u, 0xc040b340u, 0x265e5a51u, 0xe9b6c7aau, 0xd62f105du, 0x02441453u, 0xd8a1e681u, 0xe7d3fbc8u,
    0x21e1cde6u, 0xc33707d6u, 0xf4d50d87u, 0x455a14edu, 0xa9e3e905u, 0xfcefa3f8u, 0x676f02d9u, 0x8d2a4c8au,
    0xfffa3942u, 0x8771f681u, 0x6d9d6122u, 0xfde5380cu, 0xa4beea44u, 0x4bdecfa9u, 0xf6bb4b60u, 0xbebfbc70u,
    0x289b7ec6u, 0xeaa127fau, 0xd4ef3085u, 0x04881d05u, 0xd9d4d039u, 0xe6db99e5u, 0x1fa27cf8u, 0xc4ac5665u,
    0xf4292244u, 0x432aff97u, 0xab9423a7u, 0xfc93a039u, 0x655b59c3u, 0x8f0ccc92u, 0xffeff47du, 0x85845dd1u,
    0x6fa87e4fu, 0xfe2ce6e0u, 0xa3014314u, 0x4e0811a1u, 0xf7537e82u, 0xbd3af235u, 0x2ad7d2bbu, 0xeb86d391u,
};
__constant__ int shifts[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};

__device__ inline uint4 md5(const unsigned char *key) {
    unsigned words[16] = {0};
    words[0] = key[0] | key[1] << 8 | key[2] << 16 | (unsigned)key[3] << 24;
    words[1] = key[4] | key[5] << 8 | key[6] << 16 | 0x80u << 24;
    words[14] = 56;
    unsigned a = 0x67452301u, b = 0xefcdab89u, c = 0x98badcfeu, d = 0x10325476u;
#pragma unroll
    for (int i = 0; i < 64; i++) {
        unsigned mixed;
        int word;
        if (i < 16) {
            mixed = (b & c) | (~b & d);
            word = i;
        } else if (i < 32) {
            mixed = (d & b) | (~d & c);
            word = (5 * i + 1) % 16;
        } else if (i < 48) {
            mixed = b ^ c ^ d;
            word = (3 * i + 5) % 16;
        } else {
            mixed = c ^ (b | ~d);
            word = 7 * i % 16;
        }
        unsigned sum = a + mixed + table[i] + words[word];
        int shift = shifts[i / 16 * 4 + i % 4];
        a = d;
        d = c;
        c = b;
        b += sum << shift | sum >> (32 - shift);
    }
    return make_uint4(a + 0x67452301u, b + 0xefcdab89u, c + 0x98badcfeu, d + 0x10325476u);
}

extern "C" __global__ void __launch_bounds__(384) find_key_with_digest(unsigned d0, unsigned d1, unsigned d2, unsigned d3, unsigned space, unsigned values,
                                                unsigned *__restrict__ found) {
    unsigned first = (blockIdx.x * blockDim.x + threadIdx.x) * 10;
    for (unsigned number = first; number < first + 10; number++) {
        if (number >= space) return;
        unsigned char key[8];
        unsigned rest = number;
        for (int k = 0; k < 7; k++) {
            key[k] = rest % values;
            rest /= values;
        }
        uint4 digest = md5(key);
        if (digest.x == d0 && digest.y == d1 && digest.z == d2 && digest.w == d3) found[0] = number;
    }
}
