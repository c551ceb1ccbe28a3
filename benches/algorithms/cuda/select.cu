// in: values, and flags for `flagged`. out: those that are selected, their number as u32. `m` of `select_if`: values below it are selected.
#include "peers.cuh"
#include <cub/device/device_select.cuh>

PEER(cub_select_if_u32, cub::DeviceSelect::If(workspace, bytes, a.input<u32>(0), a.output<u32>(0), a.output<u32>(1), n, Below{m}, stream))
PEER(cub_select_flagged_u32, cub::DeviceSelect::Flagged(workspace, bytes, a.input<u32>(0), a.input<u8>(1), a.output<u32>(0), a.output<u32>(1), n, stream))
PEER(cub_unique_u32, cub::DeviceSelect::Unique(workspace, bytes, a.input<u32>(0), a.output<u32>(0), a.output<u32>(1), n, stream))
