// Three bytes become four letters, a group per thread.
__constant__ char LETTERS[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

extern "C" __global__ void encode(const unsigned char *__restrict__ input, int n, unsigned char *__restrict__ output) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (n + 2) / 3) return;
    const unsigned char *group = input + 3 * i;
    int len = min(n - 3 * i, 3);
    unsigned a = group[0], b = len > 1 ? group[1] : 0, c = len > 2 ? group[2] : 0;
    unsigned char *letters = output + 4 * i;
    letters[0] = LETTERS[a >> 2];
    letters[1] = LETTERS[(a << 4 | b >> 4) & 63];
    letters[2] = len > 1 ? LETTERS[(b << 2 | c >> 6) & 63] : '=';
    letters[3] = len > 2 ? LETTERS[c & 63] : '=';
}
