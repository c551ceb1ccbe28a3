// in: values (two inputs for `transform_two`). out: 3 x + 1; 3 x + y.
#include "peers.cuh"
#include <cub/device/device_transform.cuh>

struct OfOne {
    __host__ __device__ u32 operator()(u32 x) const { return 3 * x + 1; }
};
struct OfTwo {
    __host__ __device__ u32 operator()(u32 x, u32 y) const { return 3 * x + y; }
};

PEER(cub_transform_u32, cub::DeviceTransform::Transform(workspace, bytes, a.input<u32>(0), a.output<u32>(0), n, OfOne{}, stream))
PEER(cub_transform_two_u32,
     cub::DeviceTransform::Transform(workspace, bytes, ::cuda::std::make_tuple(a.input<u32>(0), a.input<u32>(1)), a.output<u32>(0), n, OfTwo{}, stream))
