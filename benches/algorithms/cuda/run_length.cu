// in: values. out: the value of each run, its length, the number of runs as u32.
#include "peers.cuh"
#include <cub/device/device_run_length_encode.cuh>

PEER(cub_run_length_encode_u32,
     cub::DeviceRunLengthEncode::Encode(workspace, bytes, a.input<u32>(0), a.output<u32>(0), a.output<u32>(1), a.output<u32>(2), n, stream))
