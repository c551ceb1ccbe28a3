// in: values. `m`: the limit. Two ways: out are the values below `m` and then the others from the last to the first, and the number of those below. Three ways: out are
// the values below `m`, those below three times `m`, the others, and both numbers.
#include "peers.cuh"
#include <cub/device/device_partition.cuh>

PEER(cub_partition_u32, cub::DevicePartition::If(workspace, bytes, a.input<u32>(0), a.output<u32>(0), a.output<u32>(1), n, Below{m}, stream))
PEER(cub_partition_three_u32, cub::DevicePartition::If(workspace, bytes, a.input<u32>(0), a.output<u32>(0), a.output<u32>(1), a.output<u32>(2),
                                                       a.output<u32>(3), n, Below{m}, Below{3 * m}, stream))
