// Columns of strings: lengths in characters, capitals.
extern "C" __global__ void count_characters(const int *__restrict__ offsets, const unsigned char *__restrict__ bytes, int *__restrict__ lengths, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int length = 0;
    for (int at = offsets[i]; at < offsets[i + 1]; at++) length += (bytes[at] & 0xc0) != 0x80;
    lengths[i] = length;
}

extern "C" __global__ void to_upper(const int *__restrict__ offsets, const unsigned char *__restrict__ bytes, unsigned char *__restrict__ result, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int at = offsets[i]; at < offsets[i + 1]; at++) {
        unsigned char byte = bytes[at];
        result[at] = byte >= 'a' && byte <= 'z' ? byte - 32 : byte;
    }
}
