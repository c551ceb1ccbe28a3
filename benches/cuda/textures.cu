// Kernels that read images through the texture units: the twins of `sample_f32`, `sample_u8x4`, `bicubic` and `volume`.

extern "C" __global__ void sample_f32(cudaTextureObject_t image, float step, float *__restrict__ out, unsigned width, unsigned height) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    out[(size_t)y * width + x] = tex2D<float>(image, x * step + 0.625f, y * step + 0.625f);
}

extern "C" __global__ void sample_u8x4(cudaTextureObject_t image, float step, uchar4 *__restrict__ out, unsigned width, unsigned height) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float4 c = tex2D<float4>(image, x * step + 0.625f, y * step + 0.625f);
    out[(size_t)y * width + x] = make_uchar4(c.x * 255.0f + 0.5f, c.y * 255.0f + 0.5f, c.z * 255.0f + 0.5f, c.w * 255.0f + 0.5f);
}

// Two places whose samples, with these weights, are a sum of four neighbours by the cubic B-spline.
static __device__ void two_places(float x, float2 &left, float2 &right) {
    float start = floorf(x - 0.5f);
    float t = x - 0.5f - start, s = 1.0f - t;
    float a = s * s * s * (1.0f / 6.0f), d = t * t * t * (1.0f / 6.0f);
    float b = (4.0f - 3.0f * t * t * (2.0f - t)) * (1.0f / 6.0f), c = (4.0f - 3.0f * s * s * (2.0f - s)) * (1.0f / 6.0f);
    left = make_float2(start - 0.5f + b / (a + b), a + b);
    right = make_float2(start + 1.5f + d / (c + d), c + d);
}

extern "C" __global__ void bicubic(cudaTextureObject_t image, float step, float *__restrict__ out, unsigned width, unsigned height) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float2 left, right, above, below;
    two_places(x * step + 8.0f, left, right);
    two_places(y * step + 8.0f, above, below);
    float upper = left.y * tex2D<float>(image, left.x, above.x) + right.y * tex2D<float>(image, right.x, above.x);
    float lower = left.y * tex2D<float>(image, left.x, below.x) + right.y * tex2D<float>(image, right.x, below.x);
    out[(size_t)y * width + x] = above.y * upper + below.y * lower;
}

extern "C" __global__ void volume(cudaTextureObject_t density, cudaTextureObject_t colours, float pixel, unsigned steps, float4 *__restrict__ out, unsigned width,
                                  unsigned height) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float u = x * pixel, v = y * pixel, depth = 1.0f / steps;
    float r = 0.0f, g = 0.0f, b = 0.0f, clear = 1.0f;
    for (unsigned k = 0; k < steps; ++k) {
        float z = (k + 0.5f) * depth;
        float4 c = tex1D<float4>(colours, tex3D<float>(density, u + 0.1f * z, v + 0.05f * z, z));
        float part = clear * c.w;
        r += part * c.x;
        g += part * c.y;
        b += part * c.z;
        clear -= part;
        if (clear < 0.01f) break;
    }
    out[(size_t)y * width + x] = make_float4(r, g, b, clear);
}
