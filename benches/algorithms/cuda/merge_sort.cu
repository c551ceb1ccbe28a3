// in: keys. out: the keys, sorted by comparison.
#include "peers.cuh"
#include <cub/device/device_merge_sort.cuh>

PEER(cub_merge_sort_u32,
     cub::DeviceMergeSort::SortKeysCopy(workspace, bytes, a.input<u32>(0), a.output<u32>(0), n, ::cuda::std::less<>{}, stream))
