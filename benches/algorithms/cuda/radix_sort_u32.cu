// in: keys. out: the keys, sorted.
#include "peers.cuh"
#include <cub/device/device_radix_sort.cuh>

PEER(cub_radix_sort_u32, cub::DeviceRadixSort::SortKeys(workspace, bytes, a.input<u32>(0), a.output<u32>(0), n, 0, sizeof(u32) * 8, stream))
