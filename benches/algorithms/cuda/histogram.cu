// in: values. out: the counts of 256 bins as u32: of bytes, or of equal parts of 0..1.
#include "peers.cuh"
#include <cub/device/device_histogram.cuh>

PEER(cub_histogram_u8, cub::DeviceHistogram::HistogramEven(workspace, bytes, a.input<u8>(0), a.output<u32>(0), 257, 0, 256, n, stream))
PEER(cub_histogram_f32, cub::DeviceHistogram::HistogramEven(workspace, bytes, a.input<float>(0), a.output<u32>(0), 257, 0.0f, 1.0f, n, stream))
