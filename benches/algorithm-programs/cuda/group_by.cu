// The twin of src/programs/group_by.rs.
#include "twin.cuh"

// ANCHOR: algorithm
struct Summary {
    u64 sum;
    u32 count, max;
};

struct Of {
    __host__ __device__ Summary operator()(u32 value) const { return {value, 1, value}; }
};

struct And {
    __host__ __device__ Summary operator()(Summary a, Summary b) const {
        return {a.sum + b.sum, a.count + b.count, a.max > b.max ? a.max : b.max};
    }
};

u32 group_by(const Buffer<u32> &keys, const Buffer<u32> &values, Buffer<u32> &groups,
             Buffer<Summary> &summaries) {
    u32 n = keys.size;
    Buffer<u32> sorted(n), moved(n), count(1);
    cub_call([&](void *memory, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(memory, bytes, keys.data, sorted.data, values.data,
                                               moved.data, n);
    });
    auto of_values = thrust::make_transform_iterator(moved.data, Of());
    cub_call([&](void *memory, size_t &bytes) {
        return cub::DeviceReduce::ReduceByKey(memory, bytes, sorted.data, groups.data, of_values,
                                              summaries.data, count.data, And(), n);
    });
    return count.first();
}
// ANCHOR_END: algorithm

int main(int argc, char **argv) {
    u32 n = elements(argc, argv), groups_most = 1 << 16;
    std::vector<u32> keys(n), values(n);
    std::vector<Summary> expected(groups_most, Summary{0, 0, 0});
    for (u32 i = 0; i < n; i++) {
        keys[i] = noise(i) % groups_most;
        values[i] = noise(i) << 16 | noise(i) >> 16;
        expected[keys[i]] = And()(expected[keys[i]], Of()(values[i]));
    }
    Buffer<u32> x(keys), y(values), groups(n);
    Buffer<Summary> summaries(n);
    u32 count = 0;
    timed("65536 groups", [&] { count = group_by(x, y, groups, summaries); });
    auto found = summaries.first(count);
    auto names = groups.first(count);
    u64 in_groups = 0;
    for (u32 i = 0; i < count; i++) {
        Summary is = found[i], should = expected[names[i]];
        right(is.sum == should.sum && is.count == should.count && is.max == should.max, "a group");
        in_groups += is.count;
    }
    right(in_groups == n, "the number of values in all groups");
}
