// A table with open addressing: built, probed, and as a group-by.
const unsigned EMPTY = 0xffffffffu;

__device__ unsigned hash(unsigned key) {
    unsigned h = key ^ key >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    return h ^ h >> 16;
}

extern "C" __global__ void build(const unsigned *__restrict__ keys, int n, unsigned *slots, unsigned *rows, unsigned len) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned key = keys[i], at = hash(key) % len;
    while (atomicCAS(&slots[at], EMPTY, key) != EMPTY) at = at + 1 == len ? 0 : at + 1;
    rows[at] = i;
}

extern "C" __global__ void probe(const unsigned *__restrict__ keys, int n, const unsigned *__restrict__ slots, const unsigned *__restrict__ rows,
                                 unsigned len, unsigned *__restrict__ matches) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned key = keys[i], at = hash(key) % len, found = EMPTY;
    while (true) {
        unsigned slot = slots[at];
        if (slot == key) {
            found = rows[at];
            break;
        }
        if (slot == EMPTY) break;
        at = at + 1 == len ? 0 : at + 1;
    }
    matches[i] = found;
}

extern "C" __global__ void group_by(const unsigned *__restrict__ keys, const long long *__restrict__ values, int n, unsigned *slots, long long *sums,
                                    unsigned *counts, unsigned len) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned key = keys[i], at = hash(key) % len;
    while (true) {
        unsigned found = atomicCAS(&slots[at], EMPTY, key);
        if (found == EMPTY || found == key) {
            atomicAdd((unsigned long long *)&sums[at], (unsigned long long)values[i]);
            atomicAdd(&counts[at], 1u);
            return;
        }
        at = at + 1 == len ? 0 : at + 1;
    }
}
