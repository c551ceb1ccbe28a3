// Each function over arguments that a thread makes in registers: the twins of the double precision kernels of benches/math.

#define FUNCTION(name, value)                                                                                                  \
    extern "C" __global__ void name##_twin(double first, double step, unsigned rounds, double *__restrict__ sums, unsigned long long n) { \
        unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;                                      \
        auto function = [](double x) -> double { return value; };                                                              \
        double quarter = step * 0.25;                                                                                          \
        double x = first + step * (double)(i & 1023);                                                                          \
        double a = 0, b = 0, c = 0, d = 0;                                                                                     \
        _Pragma("unroll 1") for (unsigned k = 0; k < rounds; k++) {                                                            \
            a += function(x);                                                                                                  \
            b += function(x + quarter);                                                                                        \
            c += function(x + quarter * 2.0);                                                                                  \
            d += function(x + quarter * 3.0);                                                                                  \
            x += step;                                                                                                         \
        }                                                                                                                      \
        if (i < n) sums[i] = (a + b) + (c + d);                                                                                \
    }

__device__ __forceinline__ double sine_and_cosine(double x) {
    double s, c;
    sincos(x, &s, &c);
    return s + c;
}

__device__ __forceinline__ double sine_and_cosine_pi(double x) {
    double s, c;
    sincospi(x, &s, &c);
    return s + c;
}

__device__ __forceinline__ double mantissa_and_exponent(double x) {
    int e;
    double m = frexp(x, &e);
    return m + (double)e;
}

FUNCTION(sin, sin(x))
FUNCTION(cos, cos(x))
FUNCTION(tan, tan(x))
FUNCTION(sincos, sine_and_cosine(x))
FUNCTION(sinpi, sinpi(x))
FUNCTION(cospi, cospi(x))
FUNCTION(sincospi, sine_and_cosine_pi(x))
FUNCTION(asin, asin(x))
FUNCTION(acos, acos(x))
FUNCTION(atan, atan(x))
FUNCTION(sinh, sinh(x))
FUNCTION(cosh, cosh(x))
FUNCTION(tanh, tanh(x))
FUNCTION(asinh, asinh(x))
FUNCTION(acosh, acosh(x))
FUNCTION(atanh, atanh(x))
FUNCTION(exp, exp(x))
FUNCTION(exp2, exp2(x))
FUNCTION(exp10, exp10(x))
FUNCTION(expm1, expm1(x))
FUNCTION(log, log(x))
FUNCTION(log2, log2(x))
FUNCTION(log10, log10(x))
FUNCTION(log1p, log1p(x))
FUNCTION(rsqrt, rsqrt(x))
FUNCTION(cbrt, cbrt(x))
FUNCTION(rcbrt, rcbrt(x))
FUNCTION(erf, erf(x))
FUNCTION(erfc, erfc(x))
FUNCTION(erfinv, erfinv(x))
FUNCTION(erfcinv, erfcinv(x))
FUNCTION(lgamma, lgamma(x))
FUNCTION(tgamma, tgamma(x))
FUNCTION(pow, pow(x, x * 0.5 - 1.0))
FUNCTION(hypot, hypot(x, x * 0.5 - 1.0))
FUNCTION(atan2, atan2(x, x * 0.5 - 1.0))
FUNCTION(fmod, fmod(x, 0.75))
FUNCTION(remainder, remainder(x, 0.75))
FUNCTION(frexp, mantissa_and_exponent(x))
FUNCTION(ldexp, ldexp(1.5, (int)x))
FUNCTION(ilogb, (double)ilogb(x))
FUNCTION(round, round(x))
