// in: keys, values. out: the keys, sorted by comparison, and each key's value.
#include "peers.cuh"
#include <cub/device/device_merge_sort.cuh>

PEER(cub_merge_sort_pairs_u32, cub::DeviceMergeSort::SortPairsCopy(workspace, bytes, a.input<u32>(0), a.input<u32>(1), a.output<u32>(0), a.output<u32>(1), n,
                                                                   ::cuda::std::less<>{}, stream))
