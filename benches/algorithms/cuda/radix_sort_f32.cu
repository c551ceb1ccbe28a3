// in: keys. out: the keys, sorted.
#include "peers.cuh"
#include <cub/device/device_radix_sort.cuh>

PEER(cub_radix_sort_f32, cub::DeviceRadixSort::SortKeys(workspace, bytes, a.input<float>(0), a.output<float>(0), n, 0, sizeof(float) * 8, stream))
