// in: keys, values. out: sums of the values of each run of equal keys up to each, with or without it.
#include "peers.cuh"
#include <cub/device/device_scan.cuh>

PEER(cub_inclusive_sum_by_key_u32,
     cub::DeviceScan::InclusiveSumByKey(workspace, bytes, a.input<u32>(0), a.input<u32>(1), a.output<u32>(0), n, ::cuda::std::equal_to<>{}, stream))
PEER(cub_exclusive_sum_by_key_u32,
     cub::DeviceScan::ExclusiveSumByKey(workspace, bytes, a.input<u32>(0), a.input<u32>(1), a.output<u32>(0), n, ::cuda::std::equal_to<>{}, stream))
