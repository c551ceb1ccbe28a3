// in: `n` sorted keys, `m` keys to search for. out: for each of these how many of the sorted keys are less, as u32.
#include "peers.cuh"
#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>

namespace {
cudaError_t search(void *workspace, std::size_t &bytes, const Arguments &a, int n, u32 m, cudaStream_t stream) {
    if (workspace == nullptr) {
        bytes = 1; // Thrust's search needs none.
        return cudaSuccess;
    }
    const auto policy = thrust::cuda::par_nosync.on(stream);
    const u32 *keys = a.input<u32>(0);
    const u32 *wanted = a.input<u32>(1);
    thrust::lower_bound(policy, keys, keys + n, wanted, wanted + m, a.output<u32>(0));
    return cudaPeekAtLastError();
}
} // namespace

PEER(thrust_lower_bound_u32, search(workspace, bytes, a, n, m, stream))
