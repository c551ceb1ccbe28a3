// in: keys, values. out: the key of each run, the sum of its values, the number of runs as u32.
#include "peers.cuh"
#include <cub/device/device_reduce.cuh>

PEER(cub_reduce_by_key_u32, cub::DeviceReduce::ReduceByKey(workspace, bytes, a.input<u32>(0), a.output<u32>(0), a.input<u32>(1), a.output<u32>(1),
                                                           a.output<u32>(2), ::cuda::std::plus<>{}, n, stream))
