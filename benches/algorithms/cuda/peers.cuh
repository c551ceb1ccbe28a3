// What all peers have in common: one signature, so that the benchmark calls all of them in the same way.
//
//   int cub_NAME(void *workspace, size_t *bytes, const Arguments *arguments, cudaStream_t stream)
//
// Without a workspace it writes the size of the workspace to `bytes` and queues nothing; with one of `bytes` bytes it queues the algorithm. Returns a cudaError_t.
// Numbers of elements are `int`, which selects the variants of CUB with 32-bit offsets, the faster ones, where it has them.
#pragma once
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

// As `Arguments` in src/peers.rs.
struct Arguments {
    const void *in[4];
    void *out[4];
    // Elements: the size of the row.
    u64 n;
    // A second number: elements of a second input, segments, or a limit; each peer says which.
    u64 m;

    template <class T> const T *input(int i) const { return static_cast<const T *>(in[i]); }
    template <class T> T *output(int i) const { return static_cast<T *>(out[i]); }
};

// A peer: BODY uses `workspace`, `bytes` (a reference), `a`, `n`, `m` and `stream`, and is an expression of type cudaError_t.
#define PEER(NAME, ...)                                                                                                                                        \
    extern "C" __attribute__((visibility("default"))) int NAME(void *workspace, std::size_t *size, const Arguments *arguments, cudaStream_t stream) {          \
        if (arguments->n > INT_MAX || arguments->m > UINT32_MAX) {                                                                                             \
            return cudaErrorInvalidValue;                                                                                                                      \
        }                                                                                                                                                      \
        std::size_t &bytes = *size;                                                                                                                            \
        const Arguments &a = *arguments;                                                                                                                       \
        [[maybe_unused]] const int n = static_cast<int>(arguments->n);                                                                                         \
        [[maybe_unused]] const u32 m = static_cast<u32>(arguments->m);                                                                                         \
        return (__VA_ARGS__);                                                                                                                                  \
    }

// Below a limit.
struct Below {
    u32 limit;
    __host__ __device__ bool operator()(u32 x) const { return x < limit; }
};
