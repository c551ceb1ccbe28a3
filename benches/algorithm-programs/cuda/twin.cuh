// What all twins have in common: the input of src/bench.rs, its clock, and memory from the device's pool.
//
// A twin takes the number of elements, and prints a line for each case: its name, what it is made with, and milliseconds, with tabs between. It ends with an error if its results are wrong.
#pragma once
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <cuda_runtime.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <vector>

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

inline void check(cudaError_t error, const char *what) {
    if (error != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
        std::exit(1);
    }
}

inline void right(bool is_right, const char *what) {
    if (!is_right) {
        std::fprintf(stderr, "wrong: %s\n", what);
        std::exit(1);
    }
}

// Element i of the pseudo-random words: the steps of SplitMix64.
inline u32 noise(u64 i) {
    u64 x = (i + 1) * 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return static_cast<u32>((x ^ (x >> 31)) >> 32);
}

// Device memory from the pool, in order with the work of the stream.
template <class T> struct Buffer {
    T *data = nullptr;
    std::size_t size;

    explicit Buffer(std::size_t size) : size(size) {
        check(cudaMallocAsync(&data, size * sizeof(T) + 1, 0), "memory");
    }
    explicit Buffer(const std::vector<T> &from) : Buffer(from.size()) {
        check(cudaMemcpy(data, from.data(), size * sizeof(T), cudaMemcpyHostToDevice),
              "copy to the device");
    }
    Buffer(const Buffer &) = delete;
    ~Buffer() { cudaFreeAsync(data, 0); }

    std::vector<T> first(std::size_t count) const {
        std::vector<T> values(count);
        check(cudaMemcpy(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost),
              "copy to the host");
        return values;
    }
    T first() const { return first(1)[0]; }
};

// Calls a function of CUB twice: for the size of its temporary memory, and with that memory.
template <class Call> void cub_call(Call call) {
    std::size_t bytes = 0;
    check(call(nullptr, bytes), "size of temporary memory");
    Buffer<char> memory(bytes);
    check(call(memory.data, bytes), "algorithm");
}

// The mean time of the host, as Bench::time takes it.
template <class Work> void timed(const char *name, Work work) {
    const int warm_up = 3, runs = 50;
    for (int i = 0; i < warm_up; i++) {
        work();
    }
    double ms = 0;
    for (int i = 0; i < runs; i++) {
        check(cudaStreamSynchronize(0), "wait");
        auto start = std::chrono::steady_clock::now();
        work();
        check(cudaStreamSynchronize(0), "wait");
        ms += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
                  .count();
    }
    std::printf("%s\tCUB\t%.6f\n", name, ms / runs);
}

// The number of elements, and a pool that keeps what it has.
inline u32 elements(int argc, char **argv) {
    cudaMemPool_t pool;
    u64 all = UINT64_MAX;
    check(cudaDeviceGetDefaultMemPool(&pool, 0), "pool");
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all), "pool");
    right(argc == 2, "the number of elements is the only argument");
    return static_cast<u32>(std::atoll(argv[1]));
}
