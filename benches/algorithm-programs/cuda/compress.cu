// The twin of src/programs/compress.rs.
#include "twin.cuh"
#include <cmath>
#include <thrust/scatter.h>
#include <thrust/transform.h>

// ANCHOR: algorithm
constexpr int LIMIT = 512;
constexpr u16 KEPT = 0;

struct Kept {
    u32 at;
    int difference;
    float value;
};

struct Bound {
    double bound;
    const float *x;

    __host__ __device__ int steps(float x) const {
        double steps = nearbyint(x / (2 * bound));
        return steps != steps           ? 0
               : steps >= 2147483647.0  ? 2147483647
               : steps <= -2147483648.0 ? -2147483647 - 1
                                        : static_cast<int>(steps);
    }
    __host__ __device__ float value(int steps) const {
        return static_cast<float>(steps * (2 * bound));
    }
    __host__ __device__ bool holds(float x, float found) const {
        return fabs(double(x) - double(found)) <= bound;
    }
    __host__ __device__ int difference(u32 i) const {
        u32 before = i == 0 ? 0 : steps(x[i - 1]);
        return static_cast<int>(u32(steps(x[i])) - before);
    }
    __host__ __device__ u16 code(u32 i) const {
        int d = difference(i);
        return d > -LIMIT && d < LIMIT && holds(x[i], value(steps(x[i]))) ? d + LIMIT : KEPT;
    }
};

struct Code {
    Bound bound;
    __host__ __device__ u16 operator()(u32 i) const { return bound.code(i); }
};

struct Value {
    Bound bound;
    __host__ __device__ float operator()(int steps) const { return bound.value(steps); }
};

struct ToKept {
    Bound bound;
    __host__ __device__ Kept operator()(u32 i) const {
        return {i, bound.difference(i), bound.x[i]};
    }
};

struct IsKept {
    Bound bound;
    __host__ __device__ bool operator()(const Kept &kept) const {
        return bound.code(kept.at) == KEPT;
    }
};

struct Change {
    const u16 *codes;
    __host__ __device__ int decode(u16 code) const { return code == KEPT ? 0 : code - LIMIT; }
    __host__ __device__ int operator()(u32 i) const {
        return decode(codes[i]) - (i == 0 ? 0 : decode(codes[i - 1]));
    }
};

struct At {
    __host__ __device__ u32 operator()(const Kept &kept) const { return kept.at; }
};
struct Difference {
    __host__ __device__ int operator()(const Kept &kept) const { return kept.difference; }
};
struct Itself {
    __host__ __device__ float operator()(const Kept &kept) const { return kept.value; }
};

struct Compressed {
    Buffer<u16> codes;
    Buffer<u32> lengths;
    Buffer<Kept> kept;
    u32 runs = 0, count = 0;
};

void compress(const Buffer<float> &x, double largest, Compressed &out) {
    u32 n = x.size;
    Bound bound{largest, x.data};
    Buffer<u32> count(1);
    thrust::counting_iterator<u32> numbers(0);
    auto codes = thrust::make_transform_iterator(numbers, Code{bound});
    cub_call([&](void *memory, size_t &bytes) {
        return cub::DeviceRunLengthEncode::Encode(memory, bytes, codes, out.codes.data,
                                                  out.lengths.data, count.data, n);
    });
    out.runs = count.first();
    auto all = thrust::make_transform_iterator(numbers, ToKept{bound});
    cub_call([&](void *memory, size_t &bytes) {
        return cub::DeviceSelect::If(memory, bytes, all, out.kept.data, count.data, n,
                                     IsKept{bound});
    });
    out.count = count.first();
}

void decompress(const Compressed &in, double largest, Buffer<float> &x) {
    u32 n = x.size;
    auto policy = thrust::cuda::par_nosync;
    Buffer<u32> starts(in.runs);
    Buffer<int> steps(n), differences(n);
    cub_call([&](void *memory, size_t &bytes) {
        return cub::DeviceScan::ExclusiveSum(memory, bytes, in.lengths.data, starts.data, in.runs);
    });
    check(cudaMemsetAsync(steps.data, 0, n * sizeof(int), 0), "memory");
    auto changes =
        thrust::make_transform_iterator(thrust::counting_iterator<u32>(0), Change{in.codes.data});
    thrust::scatter(policy, changes, changes + in.runs, starts.data, steps.data);
    cub_call([&](void *memory, size_t &bytes) {
        return cub::DeviceScan::InclusiveSum(memory, bytes, steps.data, differences.data, n);
    });
    auto places = thrust::make_transform_iterator(in.kept.data, At());
    auto own = thrust::make_transform_iterator(in.kept.data, Difference());
    thrust::scatter(policy, own, own + in.count, places, differences.data);
    cub_call([&](void *memory, size_t &bytes) {
        return cub::DeviceScan::InclusiveSum(memory, bytes, differences.data, steps.data, n);
    });
    thrust::transform(policy, steps.data, steps.data + n, x.data, Value{{largest, nullptr}});
    auto values = thrust::make_transform_iterator(in.kept.data, Itself());
    thrust::scatter(policy, values, values + in.count, places, x.data);
}
// ANCHOR_END: algorithm

int main(int argc, char **argv) {
    u32 n = elements(argc, argv);
    double largest = 0.005;
    std::vector<float> input(n);
    for (u32 i = 0; i < n; i++) {
        u32 x = noise(i);
        float smooth = static_cast<float>(std::sin(i * 1e-6) * 50.0) + (x >> 8) / 2e10f;
        float rare[4] = {NAN, -INFINITY, 3e20f, 1000.0f};
        input[i] = x % 10007 < 4 ? rare[x % 10007] : smooth;
    }
    Buffer<float> x(input), y(n);
    Compressed compressed{Buffer<u16>(n), Buffer<u32>(n), Buffer<Kept>(n)};
    timed("compress", [&] { compress(x, largest, compressed); });
    timed("decompress", [&] { decompress(compressed, largest, y); });
    auto found = y.first(n);
    for (u32 i = 0; i < n; i++) {
        bool same = found[i] == input[i] || (found[i] != found[i] && input[i] != input[i]);
        right(same || Bound{largest, nullptr}.holds(input[i], found[i]),
              "a value beyond the bound");
    }
}
