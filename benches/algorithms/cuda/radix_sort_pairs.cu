// in: keys, values. out: the keys, sorted, and each key's value.
#include "peers.cuh"
#include <cub/device/device_radix_sort.cuh>

PEER(cub_radix_sort_pairs_u32,
     cub::DeviceRadixSort::SortPairs(workspace, bytes, a.input<u32>(0), a.output<u32>(0), a.input<u32>(1), a.output<u32>(1), n, 0, 32, stream))
