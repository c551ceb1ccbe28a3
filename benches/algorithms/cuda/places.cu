// in: values, places as u32. out: for `gather` the value at each place, for `scatter` each value at its place.
#include "peers.cuh"
#include <thrust/execution_policy.h>
#include <thrust/gather.h>
#include <thrust/scatter.h>

namespace {
template <class Work> cudaError_t without_memory(void *workspace, std::size_t &bytes, cudaStream_t stream, Work work) {
    if (workspace == nullptr) {
        bytes = 1;
        return cudaSuccess;
    }
    work(thrust::cuda::par_nosync.on(stream));
    return cudaPeekAtLastError();
}
} // namespace

PEER(thrust_gather_u32, without_memory(workspace, bytes, stream, [&](auto policy) {
         const u32 *places = a.input<u32>(1);
         thrust::gather(policy, places, places + n, a.input<u32>(0), a.output<u32>(0));
     }))
PEER(thrust_scatter_u32, without_memory(workspace, bytes, stream, [&](auto policy) {
         const u32 *values = a.input<u32>(0);
         thrust::scatter(policy, values, values + n, a.input<u32>(1), a.output<u32>(0));
     }))
