// Each function over arguments that a thread makes in registers: the twins of benches/math/kernels.rs.

#define FUNCTION(name, value)                                                                                                \
    extern "C" __global__ void name##_twin(float first, float step, unsigned rounds, float *__restrict__ sums, unsigned long long n) { \
        unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;                                    \
        auto function = [](float x) -> float { return value; };                                                              \
        float quarter = step * 0.25f;                                                                                        \
        float x = first + step * (float)(i & 1023);                                                                          \
        float a = 0, b = 0, c = 0, d = 0;                                                                                    \
        _Pragma("unroll 1") for (unsigned k = 0; k < rounds; k++) {                                                          \
            a += function(x);                                                                                                \
            b += function(x + quarter);                                                                                      \
            c += function(x + quarter * 2.0f);                                                                               \
            d += function(x + quarter * 3.0f);                                                                               \
            x += step;                                                                                                       \
        }                                                                                                                    \
        if (i < n) sums[i] = (a + b) + (c + d);                                                                              \
    }

__device__ __forceinline__ float sine_and_cosine(float x) {
    float s, c;
    sincosf(x, &s, &c);
    return s + c;
}

__device__ __forceinline__ float mantissa_and_exponent(float x) {
    int e;
    float m = frexpf(x, &e);
    return m + (float)e;
}

FUNCTION(sinf, sinf(x))
FUNCTION(cosf, cosf(x))
FUNCTION(tanf, tanf(x))
FUNCTION(sincosf, sine_and_cosine(x))
FUNCTION(sinpif, sinpif(x))
FUNCTION(cospif, cospif(x))
FUNCTION(asinf, asinf(x))
FUNCTION(acosf, acosf(x))
FUNCTION(atanf, atanf(x))
FUNCTION(sinhf, sinhf(x))
FUNCTION(coshf, coshf(x))
FUNCTION(tanhf, tanhf(x))
FUNCTION(asinhf, asinhf(x))
FUNCTION(acoshf, acoshf(x))
FUNCTION(atanhf, atanhf(x))
FUNCTION(expf, expf(x))
FUNCTION(exp2f, exp2f(x))
FUNCTION(exp10f, exp10f(x))
FUNCTION(expm1f, expm1f(x))
FUNCTION(logf, logf(x))
FUNCTION(log2f, log2f(x))
FUNCTION(log10f, log10f(x))
FUNCTION(log1pf, log1pf(x))
FUNCTION(rsqrtf, rsqrtf(x))
FUNCTION(cbrtf, cbrtf(x))
FUNCTION(rcbrtf, rcbrtf(x))
FUNCTION(erff, erff(x))
FUNCTION(erfcf, erfcf(x))
FUNCTION(erfinvf, erfinvf(x))
FUNCTION(erfcinvf, erfcinvf(x))
FUNCTION(lgammaf, lgammaf(x))
FUNCTION(tgammaf, tgammaf(x))
FUNCTION(powf, powf(x, x * 0.5f - 1.0f))
FUNCTION(hypotf, hypotf(x, x * 0.5f - 1.0f))
FUNCTION(atan2f, atan2f(x, x * 0.5f - 1.0f))
FUNCTION(fmodf, fmodf(x, 0.75f))
FUNCTION(remainderf, remainderf(x, 0.75f))
FUNCTION(frexpf, mantissa_and_exponent(x))
FUNCTION(ldexpf, ldexpf(1.5f, (int)x))
FUNCTION(ilogbf, (float)ilogbf(x))
FUNCTION(roundf, roundf(x))
FUNCTION(fast_sinf, __sinf(x))
FUNCTION(fast_cosf, __cosf(x))
FUNCTION(fast_tanf, __tanf(x))
FUNCTION(fast_expf, __expf(x))
FUNCTION(fast_exp10f, __exp10f(x))
FUNCTION(fast_logf, __logf(x))
FUNCTION(fast_log2f, __log2f(x))
FUNCTION(fast_log10f, __log10f(x))
FUNCTION(fast_powf, __powf(x, x * 0.5f - 1.0f))
FUNCTION(fast_divf, __fdividef(3.0f, x))
