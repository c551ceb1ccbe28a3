// A sparse matrix by a vector: rows sorted by length, stored by jagged diagonals, a thread per row.
extern "C" __global__ void spmv_jds(const float *__restrict__ values, const unsigned *__restrict__ columns, const unsigned *__restrict__ rows,
                                    const unsigned *__restrict__ starts, const unsigned *__restrict__ lengths, const float *__restrict__ x,
                                    float *__restrict__ y, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    float sum = 0.0f;
    unsigned length = lengths[row];
    for (unsigned k = 0; k < length; k++) {
        unsigned at = starts[k] + row;
        sum += values[at] * x[columns[at]];
    }
    y[rows[row]] = sum;
}
