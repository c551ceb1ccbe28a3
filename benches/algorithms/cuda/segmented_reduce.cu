// in: values; the first places of the `m` segments as u32, and `n` after them. out: the sum of each segment.
#include "peers.cuh"
#include <cub/device/device_segmented_reduce.cuh>

PEER(cub_segmented_sum_f32, cub::DeviceSegmentedReduce::Sum(workspace, bytes, a.input<float>(0), a.output<float>(0), m, a.input<u32>(1),
                                                            a.input<u32>(1) + 1, stream))
