// in: values. out: the counts of bins as u32: of bytes; of 256 equal parts of 0..1; between `m` borders, a second input; of the first three bytes of each word, in three outputs.
#include "peers.cuh"
#include <cub/device/device_histogram.cuh>

namespace {
cudaError_t channels(void *workspace, std::size_t &bytes, const Arguments &a, int n, cudaStream_t stream) {
    const ::cuda::std::array<u32 *, 3> counts{a.output<u32>(0), a.output<u32>(1), a.output<u32>(2)};
    const ::cuda::std::array<int, 3> levels{257, 257, 257}, lower{0, 0, 0}, upper{256, 256, 256};
    return cub::DeviceHistogram::MultiHistogramEven<4, 3>(workspace, bytes, a.input<u8>(0), counts, levels, lower, upper, n, stream);
}
} // namespace

PEER(cub_histogram_u8, cub::DeviceHistogram::HistogramEven(workspace, bytes, a.input<u8>(0), a.output<u32>(0), 257, 0, 256, n, stream))
PEER(cub_histogram_f32, cub::DeviceHistogram::HistogramEven(workspace, bytes, a.input<float>(0), a.output<u32>(0), 257, 0.0f, 1.0f, n, stream))
PEER(cub_histogram_range_f32,
     cub::DeviceHistogram::HistogramRange(workspace, bytes, a.input<float>(0), a.output<u32>(0), static_cast<int>(m), a.input<float>(1), n, stream))
PEER(cub_multi_histogram_u8, channels(workspace, bytes, a, n, stream))
