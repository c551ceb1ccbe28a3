// Two tensors joined along their second dimension.
extern "C" __global__ void concat(const float *__restrict__ first, const float *__restrict__ second, float *__restrict__ output, int outer_count, int inner,
                                  int first_rows, int second_rows) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, rows = first_rows + second_rows;
    if (i >= outer_count * inner * rows) return;
    int column = i % inner, row = i / inner % rows, outer = i / inner / rows;
    output[i] = row < first_rows ? first[(outer * first_rows + row) * inner + column]
                                 : second[(outer * second_rows + row - first_rows) * inner + column];
}
