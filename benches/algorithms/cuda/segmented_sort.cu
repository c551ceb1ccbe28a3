// in: keys; the first places of the `m` segments as u32, and `n` after them. out: the keys, sorted within each segment.
#include "peers.cuh"
#include <cub/device/device_segmented_sort.cuh>

PEER(cub_segmented_sort_u32, cub::DeviceSegmentedSort::SortKeys(workspace, bytes, a.input<u32>(0), a.output<u32>(0), n, m, a.input<u32>(1),
                                                                a.input<u32>(1) + 1, stream))
