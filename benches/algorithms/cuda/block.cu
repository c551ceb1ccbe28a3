// Classes of CUB for the threads of a block, in a kernel for each: 256 threads with 8 items, which come from memory and go there; a block for each 2048 values. As in
// src/rows/pieces/kernels.rs. in: values. out: what the kernel writes.
#include "peers.cuh"
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>

namespace {
constexpr int THREADS = 256, ITEMS = 8, TILE = THREADS * ITEMS, BINS = 256;

using Load = cub::BlockLoad<u32, THREADS, ITEMS, cub::BLOCK_LOAD_TRANSPOSE>;
using Store = cub::BlockStore<u32, THREADS, ITEMS, cub::BLOCK_STORE_TRANSPOSE>;
using Reduce = cub::BlockReduce<u32, THREADS>;
using Scan = cub::BlockScan<u32, THREADS>;
using RadixSort = cub::BlockRadixSort<u32, THREADS, ITEMS>;
using MergeSort = cub::BlockMergeSort<u32, THREADS, ITEMS>;
using Heads = cub::BlockDiscontinuity<u32, THREADS>;
using Histogram = cub::BlockHistogram<u8, THREADS, ITEMS, BINS, cub::BLOCK_HISTO_ATOMIC>;

// The values of the block, blocked; `of_block` changes them, and they go back.
template <class Piece, class Work> __device__ void each_tile(const u32 *x, u32 *y, Work of_block) {
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
        typename Piece::TempStorage piece;
    } storage;
    u32 items[ITEMS];
    Load(storage.load).Load(x + std::size_t(TILE) * blockIdx.x, items);
    __syncthreads();
    of_block(storage.piece, items);
    __syncthreads();
    Store(storage.store).Store(y + std::size_t(TILE) * blockIdx.x, items);
}

__global__ void __launch_bounds__(THREADS) exchange(const u32 *x, u32 *y) {
    each_tile<Load>(x, y, [](auto &, auto &items) {
        for (u32 &item : items) {
            item += threadIdx.x;
        }
    });
}
__global__ void __launch_bounds__(THREADS) scan(const u32 *x, u32 *y) {
    each_tile<Scan>(x, y, [](auto &storage, auto &items) { Scan(storage).InclusiveSum(items, items); });
}
__global__ void __launch_bounds__(THREADS) radix_sort(const u32 *x, u32 *y) {
    each_tile<RadixSort>(x, y, [](auto &storage, auto &items) { RadixSort(storage).Sort(items); });
}
__global__ void __launch_bounds__(THREADS) merge_sort(const u32 *x, u32 *y) {
    each_tile<MergeSort>(x, y, [](auto &storage, auto &items) { MergeSort(storage).Sort(items, ::cuda::std::less<u32>{}); });
}
__global__ void __launch_bounds__(THREADS) heads(const u32 *x, u32 *y) {
    each_tile<Heads>(x, y, [](auto &storage, auto &items) {
        u32 flags[ITEMS];
        Heads(storage).FlagHeads(flags, items, ::cuda::std::not_equal_to<u32>{});
        for (int k = 0; k < ITEMS; k++) {
            items[k] = flags[k];
        }
    });
}
__global__ void __launch_bounds__(THREADS) reduce(const u32 *x, u32 *y) {
    __shared__ typename Reduce::TempStorage storage;
    u32 items[ITEMS];
    cub::LoadDirectStriped<THREADS>(threadIdx.x, x + std::size_t(TILE) * blockIdx.x, items);
    const u32 sum = Reduce(storage).Sum(items);
    if (threadIdx.x == 0) {
        y[blockIdx.x] = sum;
    }
}
__global__ void __launch_bounds__(THREADS) histogram(const u32 *x, u32 *y) {
    __shared__ typename Histogram::TempStorage storage;
    __shared__ u32 counts[BINS];
    u32 words[ITEMS];
    cub::LoadDirectStriped<THREADS>(threadIdx.x, x + std::size_t(TILE) * blockIdx.x, words);
    u8 items[ITEMS];
    for (int k = 0; k < ITEMS; k++) {
        items[k] = words[k] >> 24;
    }
    Histogram(storage).Histogram(items, counts);
    __syncthreads();
    y[std::size_t(BINS) * blockIdx.x + threadIdx.x] = counts[threadIdx.x];
}

template <class Kernel> cudaError_t run(void *workspace, std::size_t &bytes, const Arguments &a, int n, cudaStream_t stream, Kernel kernel) {
    if (workspace == nullptr) {
        bytes = 1;
        return cudaSuccess;
    }
    kernel<<<n / TILE, THREADS, 0, stream>>>(a.input<u32>(0), a.output<u32>(0));
    return cudaPeekAtLastError();
}
} // namespace

#define BLOCK(NAME) PEER(cub_block_##NAME, run(workspace, bytes, a, n, stream, NAME))
BLOCK(exchange)
BLOCK(scan)
BLOCK(radix_sort)
BLOCK(merge_sort)
BLOCK(heads)
BLOCK(reduce)
BLOCK(histogram)
