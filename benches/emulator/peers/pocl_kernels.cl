// The kernels of ../kernels.rs in OpenCL C, step by step. 256 work-items to a work-group, 16 by 16 in matmul.

#define THREADS 256
#define TILE 16
#define COUNTED 16
#define BINS 256
#define ROUNDS 10

kernel void saxpy(float a, global const float *x, global float *y) {
    size_t i = get_global_id(0);
    y[i] += a * x[i];
}

kernel void reduce(global const float *x, global float *y) {
    local float tile[THREADS];
    size_t thread = get_local_id(0);
    tile[thread] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t half_ = THREADS / 2; half_ > 0; half_ /= 2) {
        if (thread < half_)
            tile[thread] += tile[thread + half_];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (thread == 0)
        y[get_group_id(0)] = tile[0];
}

#ifdef SHUFFLES
#ifdef cl_khr_subgroup_shuffle
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
#endif
kernel void shuffle_(global const float *x, global float *y) {
    size_t i = get_global_id(0);
    float sum = x[i];
    for (uint flip = 16; flip > 0; flip /= 2)
        sum += sub_group_shuffle_xor(sum, flip);
    y[i] = sum;
}
#endif

kernel void scan(global const float *x, global float *y) {
    local float tile[2 * THREADS];
    size_t thread = get_local_id(0), from = 0, to = THREADS;
    tile[thread] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t distance = 1; distance < THREADS; distance *= 2) {
        float sum = tile[from + thread];
        if (thread >= distance)
            sum += tile[from + thread - distance];
        tile[to + thread] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        size_t other = from;
        from = to;
        to = other;
    }
    y[get_global_id(0)] = tile[from + thread];
}

kernel void matmul(global const float *a, global const float *b, uint n, global float *c) {
    local float of_a[TILE][TILE], of_b[TILE][TILE];
    size_t column = get_local_id(0), row = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
    float product = 0;
    for (size_t start = 0; start < n; start += TILE) {
        of_a[row][column] = a[y * n + start + column];
        of_b[row][column] = b[(start + row) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (size_t k = 0; k < TILE; k++)
            product += of_a[row][k] * of_b[k][column];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = product;
}

kernel void histogram(global const uint *x, global uint *counts) {
    local uint bins[BINS];
    size_t thread = get_local_id(0);
    bins[thread] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t k = 0; k < COUNTED; k++)
        atomic_inc(&bins[x[get_global_id(0) + k * get_global_size(0)] % BINS]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&counts[thread], bins[thread]);
}

kernel void rounds(global uint *y) {
    local uint tile[2 * THREADS];
    size_t thread = get_local_id(0);
    uint value = get_global_id(0);
    for (size_t round_ = 0; round_ < ROUNDS; round_++) {
        size_t at = round_ % 2 * THREADS;
        tile[at + thread] = value;
        barrier(CLK_LOCAL_MEM_FENCE);
        value = tile[at + (thread + 1) % THREADS] + 1;
    }
    y[get_global_id(0)] = value;
}

kernel void empty(void) {}
