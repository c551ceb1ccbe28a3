// in: `n - m` sorted keys and `m` sorted keys. out: all of them, sorted. Pairs: in are keys, keys, values, values; out are keys, values.
#include "peers.cuh"
#include <cub/device/device_merge.cuh>

PEER(cub_merge_u32, cub::DeviceMerge::MergeKeys(workspace, bytes, a.input<u32>(0), n - m, a.input<u32>(1), m, a.output<u32>(0), ::cuda::std::less<>{}, stream))
PEER(cub_merge_pairs_u32, cub::DeviceMerge::MergePairs(workspace, bytes, a.input<u32>(0), a.input<u32>(2), n - m, a.input<u32>(1), a.input<u32>(3), m,
                                                       a.output<u32>(0), a.output<u32>(1), ::cuda::std::less<>{}, stream))
