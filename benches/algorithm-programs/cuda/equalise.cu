// The twin of src/programs/equalise.rs.
#include "twin.cuh"
#include <thrust/gather.h>
#include <thrust/transform.h>

// ANCHOR: algorithm
struct Spread {
    u64 n;
    __host__ __device__ u8 operator()(u32 count) const { return u64(count) * 255 / n; }
};

void equalise(const Buffer<u8> &pixels, Buffer<u8> &out) {
    u32 n = pixels.size;
    Buffer<u32> counts(256), up_to(256);
    Buffer<u8> table(256);
    cub_call([&](void *memory, size_t &bytes) {
        return cub::DeviceHistogram::HistogramEven(memory, bytes, pixels.data, counts.data, 257, 0,
                                                   256, n);
    });
    cub_call([&](void *memory, size_t &bytes) {
        return cub::DeviceScan::InclusiveSum(memory, bytes, counts.data, up_to.data, 256);
    });
    thrust::transform(thrust::cuda::par_nosync, up_to.data, up_to.data + 256, table.data,
                      Spread{n});
    thrust::gather(thrust::cuda::par_nosync, pixels.data, pixels.data + n, table.data, out.data);
}
// ANCHOR_END: algorithm

int main(int argc, char **argv) {
    u32 n = elements(argc, argv);
    std::vector<u8> pixels(n);
    std::vector<u64> counts(256);
    for (u32 i = 0; i < n; i++) {
        u32 x = noise(i);
        pixels[i] = (x >> 24) * (x >> 16 & 255) / 256;
        counts[pixels[i]]++;
    }
    Buffer<u8> x(pixels), y(n);
    timed("u8", [&] { equalise(x, y); });
    for (int value = 1; value < 256; value++) {
        counts[value] += counts[value - 1];
    }
    auto found = y.first(n);
    for (u32 i = 0; i < n; i++) {
        right(found[i] == counts[pixels[i]] * 255 / n, "a pixel");
    }
}
