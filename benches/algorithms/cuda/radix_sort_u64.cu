// in: keys. out: the keys, sorted.
#include "peers.cuh"
#include <cub/device/device_radix_sort.cuh>

PEER(cub_radix_sort_u64, cub::DeviceRadixSort::SortKeys(workspace, bytes, a.input<u64>(0), a.output<u64>(0), n, 0, sizeof(u64) * 8, stream))
