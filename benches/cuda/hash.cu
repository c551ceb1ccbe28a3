__device__ unsigned mix(unsigned key) {
    key = (key ^ (key >> 16)) * 0x7feb352du;
    key = (key ^ (key >> 15)) * 0x846ca68bu;
    return key ^ (key >> 16);
}

// Puts keys (none is 0) with their values into a table with open addressing, one per thread; `capacity` is a power of two: the twin of
// `hash_insert`.
extern "C" __global__ void hash_insert(const unsigned *__restrict__ keys, const unsigned *__restrict__ values, unsigned n, unsigned *slots,
                                       unsigned *contents, unsigned capacity) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned key = keys[i], value = values[i], mask = capacity - 1;
        unsigned place = mix(key) & mask;
        while (true) {
            unsigned found = atomicCAS(&slots[place], 0u, key);
            if (found == 0 || found == key) break;
            place = (place + 1) & mask;
        }
        contents[place] = value;
    }
}

// All slots empty: the twin of `hash_clear`.
extern "C" __global__ void hash_clear(unsigned *__restrict__ slots, unsigned capacity) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < capacity) slots[i] = 0;
}
