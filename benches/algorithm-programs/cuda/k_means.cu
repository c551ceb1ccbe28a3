// The twin of src/programs/k_means.rs.
#include "twin.cuh"
#include <thrust/transform.h>

// ANCHOR: algorithm
struct Centres {
    float2 at[16];
};

struct Nearest {
    Centres centres;
    __host__ __device__ u8 operator()(float2 p) const {
        float best = INFINITY;
        u8 number = 0;
        for (int k = 0; k < 16; k++) {
            float a = p.x - centres.at[k].x, b = p.y - centres.at[k].y;
            if (float distance = a * a + b * b; distance < best) {
                best = distance;
                number = k;
            }
        }
        return number;
    }
};

struct Sum {
    float x, y;
    u32 count;
};

struct One {
    __host__ __device__ Sum operator()(float2 p) const { return {p.x, p.y, 1}; }
};

struct Add {
    __host__ __device__ Sum operator()(Sum a, Sum b) const {
        return {a.x + b.x, a.y + b.y, a.count + b.count};
    }
};

Centres next_centres(const Buffer<float2> &points, Centres centres) {
    u32 n = points.size;
    Buffer<u8> numbers(n), sorted(n);
    Buffer<float2> moved(n);
    Buffer<Sum> sums(n);
    Buffer<u32> count(1);
    thrust::transform(thrust::cuda::par_nosync, points.data, points.data + n, numbers.data,
                      Nearest{centres});
    cub_call([&](void *memory, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(memory, bytes, numbers.data, sorted.data,
                                               points.data, moved.data, n, 0, 4);
    });
    auto ones = thrust::make_transform_iterator(moved.data, One());
    cub_call([&](void *memory, size_t &bytes) {
        return cub::DeviceReduce::ReduceByKey(memory, bytes, sorted.data, numbers.data, ones,
                                              sums.data, count.data, Add(), n);
    });
    u32 runs = count.first();
    auto found = sums.first(runs);
    auto of = numbers.first(runs);
    for (u32 i = 0; i < runs; i++) {
        centres.at[of[i]] = {found[i].x / found[i].count, found[i].y / found[i].count};
    }
    return centres;
}
// ANCHOR_END: algorithm

int main(int argc, char **argv) {
    u32 n = elements(argc, argv);
    Centres start, found;
    for (int k = 0; k < 16; k++) {
        start.at[k] = {k % 4 + 0.1f, k / 4 - 0.2f};
    }
    std::vector<float2> points(n);
    double sums[16][3] = {};
    for (u32 i = 0; i < n; i++) {
        auto part = [](u32 bits) { return (bits & 0xfff) / 4096.0f - 0.5f; };
        u32 x = noise(i);
        float2 centre = start.at[x >> 28];
        points[i] = {centre.x + part(x), centre.y + part(x >> 12)};
        double *sum = sums[Nearest{start}(points[i])];
        sum[0] += points[i].x;
        sum[1] += points[i].y;
        sum[2] += 1;
    }
    Buffer<float2> x(points);
    timed("16 centres", [&] { found = next_centres(x, start); });
    for (int k = 0; k < 16; k++) {
        double a = found.at[k].x - sums[k][0] / sums[k][2],
               b = found.at[k].y - sums[k][1] / sums[k][2];
        right(a * a + b * b < 1e-5, "a centre");
    }
}
