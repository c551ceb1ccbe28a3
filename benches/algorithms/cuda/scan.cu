// in: values. out: sums up to each, with or without it.
#include "peers.cuh"
#include <cub/device/device_scan.cuh>

using f32 = float;
#define SCANS(T)                                                                                                                                               \
    PEER(cub_inclusive_sum_##T, cub::DeviceScan::InclusiveSum(workspace, bytes, a.input<T>(0), a.output<T>(0), n, stream))                                     \
    PEER(cub_exclusive_sum_##T, cub::DeviceScan::ExclusiveSum(workspace, bytes, a.input<T>(0), a.output<T>(0), n, stream))
SCANS(u32)
SCANS(u64)
SCANS(f32)
