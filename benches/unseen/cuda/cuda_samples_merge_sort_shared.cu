// Parts of 1024 keys with values, sorted by merges in shared memory; each thread finds its elements' ranks by binary search.
__device__ inline int below_key(unsigned key, const unsigned *keys, int len) {
    int position = 0;
    for (int stride = len; stride > 0; stride >>= 1) {
        int next = min(position + stride, len);
        if (keys[next - 1] < key) position = next;
    }
    return position;
}

__device__ inline int up_to_key(unsigned key, const unsigned *keys, int len) {
    int position = 0;
    for (int stride = len; stride > 0; stride >>= 1) {
        int next = min(position + stride, len);
        if (keys[next - 1] <= key) position = next;
    }
    return position;
}

extern "C" __global__ void __launch_bounds__(512) merge_sort_shared(const unsigned *__restrict__ keys, const unsigned *__restrict__ values, unsigned *__restrict__ sorted_keys,
                                             unsigned *__restrict__ sorted_values) {
    __shared__ unsigned s_keys[1024], s_values[1024];
    int thread = threadIdx.x, first = blockIdx.x * 1024;
    s_keys[thread] = keys[first + thread];
    s_values[thread] = values[first + thread];
    s_keys[thread + 512] = keys[first + thread + 512];
    s_values[thread + 512] = values[first + thread + 512];
    for (int stride = 1; stride < 1024; stride <<= 1) {
        int low = thread & (stride - 1);
        unsigned *base_keys = s_keys + 2 * (thread - low), *base_values = s_values + 2 * (thread - low);
        __syncthreads();
        unsigned key_a = base_keys[low], value_a = base_values[low];
        unsigned key_b = base_keys[low + stride], value_b = base_values[low + stride];
        int place_a = below_key(key_a, base_keys + stride, stride) + low;
        int place_b = up_to_key(key_b, base_keys, stride) + low;
        __syncthreads();
        base_keys[place_a] = key_a;
        base_values[place_a] = value_a;
        base_keys[place_b] = key_b;
        base_values[place_b] = value_b;
    }
    __syncthreads();
    sorted_keys[first + thread] = s_keys[thread];
    sorted_values[first + thread] = s_values[thread];
    sorted_keys[first + thread + 512] = s_keys[thread + 512];
    sorted_values[first + thread + 512] = s_values[thread + 512];
}
