// in: `n - m` sorted keys and `m` sorted keys. out: the keys of the result, their number as u64.
//
// Thrust's own functions return where the result ends: they allocate, and wait. This is the step of theirs that does the work, with memory that was made beforehand.
#include "peers.cuh"
#include <thrust/execution_policy.h>
#include <thrust/set_operations.h>

namespace {
template <class Operation> cudaError_t sets(void *workspace, std::size_t &bytes, const Arguments &a, int n, u32 m, cudaStream_t stream) {
    u32 *none = nullptr;
    const int first = n - static_cast<int>(m), second = static_cast<int>(m);
    return thrust::cuda_cub::__set_operations::doit_step<thrust::detail::false_type>(workspace, bytes, a.input<u32>(0), a.input<u32>(1), none, none, first, second,
                                                                                     a.output<u32>(0), none, a.output<std::size_t>(1),
                                                                                     ::cuda::std::less<u32>{}, Operation{}, stream);
}
} // namespace

namespace sets_of = thrust::cuda_cub::__set_operations;
PEER(thrust_set_union_u32, sets<sets_of::serial_set_union>(workspace, bytes, a, n, m, stream))
PEER(thrust_set_intersection_u32, sets<sets_of::serial_set_intersection>(workspace, bytes, a, n, m, stream))
PEER(thrust_set_difference_u32, sets<sets_of::serial_set_difference>(workspace, bytes, a, n, m, stream))
PEER(thrust_set_symmetric_difference_u32, sets<sets_of::serial_set_symmetric_difference>(workspace, bytes, a, n, m, stream))
