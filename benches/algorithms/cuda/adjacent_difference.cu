// in: values. out: the first, then each without the one before it.
#include "peers.cuh"
#include <cub/device/device_adjacent_difference.cuh>

PEER(cub_adjacent_difference_u32,
     cub::DeviceAdjacentDifference::SubtractLeftCopy(workspace, bytes, a.input<u32>(0), a.output<u32>(0), n, ::cuda::std::minus<>{}, stream))
