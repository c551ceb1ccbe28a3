// in: values. out: their sum; the smallest or largest; `cub_arg_*`: the smallest or largest and its first place as i64.
#include "peers.cuh"
#include <cub/device/device_reduce.cuh>

#define SUM(T) PEER(cub_reduce_sum_##T, cub::DeviceReduce::Sum(workspace, bytes, a.input<T>(0), a.output<T>(0), n, stream))
using f32 = float;
SUM(u32)
SUM(u64)
SUM(f32)
PEER(cub_min_u32, cub::DeviceReduce::Min(workspace, bytes, a.input<u32>(0), a.output<u32>(0), n, stream))
PEER(cub_max_f32, cub::DeviceReduce::Max(workspace, bytes, a.input<f32>(0), a.output<f32>(0), n, stream))
PEER(cub_arg_min_u32, cub::DeviceReduce::ArgMin(workspace, bytes, a.input<u32>(0), a.output<u32>(0), a.output<std::int64_t>(1), n, stream))
PEER(cub_arg_max_f32, cub::DeviceReduce::ArgMax(workspace, bytes, a.input<f32>(0), a.output<f32>(0), a.output<std::int64_t>(1), n, stream))
