// in: keys, values. out: the key of each run, its first value, the number of runs as u32.
#include "peers.cuh"
#include <cub/device/device_select.cuh>

PEER(cub_unique_by_key_u32, cub::DeviceSelect::UniqueByKey(workspace, bytes, a.input<u32>(0), a.input<u32>(1), a.output<u32>(0), a.output<u32>(1),
                                                           a.output<u32>(2), n, stream))
