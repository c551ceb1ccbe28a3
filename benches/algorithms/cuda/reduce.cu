// in: values. out: their sum; `cub_arg_max`: the largest value, its first place as i64.
#include "peers.cuh"
#include <cub/device/device_reduce.cuh>

#define SUM(T) PEER(cub_reduce_sum_##T, cub::DeviceReduce::Sum(workspace, bytes, a.input<T>(0), a.output<T>(0), n, stream))
using f32 = float;
SUM(u32)
SUM(u64)
SUM(f32)
PEER(cub_arg_max_u32, cub::DeviceReduce::ArgMax(workspace, bytes, a.input<u32>(0), a.output<u32>(0), a.output<std::int64_t>(1), n, stream))
