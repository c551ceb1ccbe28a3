// Classes of CUB for the lanes of a warp, in a kernel for each: 8 warps in a block. As in src/rows/pieces/kernels.rs. in: values. out: what the kernel writes.
#include "peers.cuh"
#include <cub/block/block_load.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_exchange.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

namespace {
constexpr int THREADS = 256, WARPS = THREADS / 32, ITEMS = 4, OF_WARP = 32 * ITEMS, TILE = WARPS * OF_WARP;

using Reduce = cub::WarpReduce<u32>;
using Scan = cub::WarpScan<u32>;
using Exchange = cub::WarpExchange<u32, ITEMS>;
using Sort = cub::WarpMergeSort<u32, ITEMS, 32>;

// One value for each lane.
__global__ void __launch_bounds__(THREADS) reduce(const u32 *x, u32 *y) {
    __shared__ typename Reduce::TempStorage storage[WARPS];
    const std::size_t i = std::size_t(THREADS) * blockIdx.x + threadIdx.x;
    const u32 sum = Reduce(storage[threadIdx.x / 32]).Sum(x[i]);
    if (threadIdx.x % 32 == 0) {
        y[i / 32] = sum;
    }
}
__global__ void __launch_bounds__(THREADS) scan(const u32 *x, u32 *y) {
    __shared__ typename Scan::TempStorage storage[WARPS];
    const std::size_t i = std::size_t(THREADS) * blockIdx.x + threadIdx.x;
    u32 sum;
    Scan(storage[threadIdx.x / 32]).InclusiveSum(x[i], sum);
    y[i] = sum;
}
// Four values for each lane.
__global__ void __launch_bounds__(THREADS) merge_sort(const u32 *x, u32 *y) {
    __shared__ union {
        typename Exchange::TempStorage exchange;
        typename Sort::TempStorage sort;
    } storage[WARPS];
    auto &own = storage[threadIdx.x / 32];
    const std::size_t first = std::size_t(TILE) * blockIdx.x + OF_WARP * (threadIdx.x / 32);
    const int lane = threadIdx.x % 32;
    u32 items[ITEMS];
    cub::LoadDirectStriped<32>(lane, x + first, items);
    Exchange(own.exchange).StripedToBlocked(items, items);
    __syncwarp();
    Sort(own.sort).Sort(items, ::cuda::std::less<u32>{});
    __syncwarp();
    Exchange(own.exchange).BlockedToStriped(items, items);
    cub::StoreDirectStriped<32>(lane, y + first, items);
}

template <class Kernel> cudaError_t run(void *workspace, std::size_t &bytes, const Arguments &a, int n, cudaStream_t stream, int tile, Kernel kernel) {
    if (workspace == nullptr) {
        bytes = 1;
        return cudaSuccess;
    }
    kernel<<<n / tile, THREADS, 0, stream>>>(a.input<u32>(0), a.output<u32>(0));
    return cudaPeekAtLastError();
}
} // namespace

PEER(cub_warp_reduce, run(workspace, bytes, a, n, stream, THREADS, reduce))
PEER(cub_warp_scan, run(workspace, bytes, a, n, stream, THREADS, scan))
PEER(cub_warp_merge_sort, run(workspace, bytes, a, n, stream, TILE, merge_sort))
