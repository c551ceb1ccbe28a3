// A step of the lattice Boltzmann method with 19 directions: streaming, then collision, with obstacles and moved cells.
#define OMEGA 1.95f
#define EQUILIBRIUM(along) (1.0f + 3.0f * (along) + 4.5f * (along) * (along) - square)
extern "C" __global__ void perform_stream_collide(int px, int plane, int cells, const unsigned *__restrict__ flags, const float *__restrict__ source,
                                                  float *__restrict__ target) {
    int at = 2 * plane + blockIdx.y * plane + blockIdx.x * px + threadIdx.x;
    float f0 = source[0 * cells + at];
    float f1 = source[1 * cells + at - px];
    float f2 = source[2 * cells + at + px];
    float f3 = source[3 * cells + at - 1];
    float f4 = source[4 * cells + at + 1];
    float f5 = source[5 * cells + at - plane];
    float f6 = source[6 * cells + at + plane];
    float f7 = source[7 * cells + at - 1 - px];
    float f8 = source[8 * cells + at + 1 - px];
    float f9 = source[9 * cells + at - 1 + px];
    float f10 = source[10 * cells + at + 1 + px];
    float f11 = source[11 * cells + at - px - plane];
    float f12 = source[12 * cells + at - px + plane];
    float f13 = source[13 * cells + at + px - plane];
    float f14 = source[14 * cells + at + px + plane];
    float f15 = source[15 * cells + at - 1 - plane];
    float f16 = source[16 * cells + at - 1 + plane];
    float f17 = source[17 * cells + at + 1 - plane];
    float f18 = source[18 * cells + at + 1 + plane];
    unsigned flag = flags[at];
    if (flag & 1) {
        target[0 * cells + at] = f0;
        target[1 * cells + at] = f2;
        target[2 * cells + at] = f1;
        target[3 * cells + at] = f4;
        target[4 * cells + at] = f3;
        target[5 * cells + at] = f6;
        target[6 * cells + at] = f5;
        target[7 * cells + at] = f10;
        target[8 * cells + at] = f9;
        target[9 * cells + at] = f8;
        target[10 * cells + at] = f7;
        target[11 * cells + at] = f14;
        target[12 * cells + at] = f13;
        target[13 * cells + at] = f12;
        target[14 * cells + at] = f11;
        target[15 * cells + at] = f18;
        target[16 * cells + at] = f17;
        target[17 * cells + at] = f16;
        target[18 * cells + at] = f15;
        return;
    }
    float rho = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8 + f9 + f10 + f11 + f12 + f13 + f14 + f15 + f16 + f17 + f18;
    float ux = (f3 - f4 + f7 - f8 + f9 - f10 + f15 + f16 - f17 - f18) / rho, uy = (f1 - f2 + f7 + f8 - f9 - f10 + f11 + f12 - f13 - f14) / rho, uz = (f5 - f6 + f11 - f12 + f13 - f14 + f15 - f16 + f17 - f18) / rho;
    if (flag & 2) {
        ux = 0.005f;
        uy = 0.002f;
        uz = 0.0f;
    }
    float square = 1.5f * (ux * ux + uy * uy + uz * uz);
    target[0 * cells + at] = (1.0f - OMEGA) * f0 + OMEGA * (1.0f / 3.0f) * rho * EQUILIBRIUM(0.0f);
    target[1 * cells + at] = (1.0f - OMEGA) * f1 + OMEGA * (1.0f / 18.0f) * rho * EQUILIBRIUM(uy);
    target[2 * cells + at] = (1.0f - OMEGA) * f2 + OMEGA * (1.0f / 18.0f) * rho * EQUILIBRIUM(-uy);
    target[3 * cells + at] = (1.0f - OMEGA) * f3 + OMEGA * (1.0f / 18.0f) * rho * EQUILIBRIUM(ux);
    target[4 * cells + at] = (1.0f - OMEGA) * f4 + OMEGA * (1.0f / 18.0f) * rho * EQUILIBRIUM(-ux);
    target[5 * cells + at] = (1.0f - OMEGA) * f5 + OMEGA * (1.0f / 18.0f) * rho * EQUILIBRIUM(uz);
    target[6 * cells + at] = (1.0f - OMEGA) * f6 + OMEGA * (1.0f / 18.0f) * rho * EQUILIBRIUM(-uz);
    target[7 * cells + at] = (1.0f - OMEGA) * f7 + OMEGA * (1.0f / 36.0f) * rho * EQUILIBRIUM(ux + uy);
    target[8 * cells + at] = (1.0f - OMEGA) * f8 + OMEGA * (1.0f / 36.0f) * rho * EQUILIBRIUM(-ux + uy);
    target[9 * cells + at] = (1.0f - OMEGA) * f9 + OMEGA * (1.0f / 36.0f) * rho * EQUILIBRIUM(ux - uy);
    target[10 * cells + at] = (1.0f - OMEGA) * f10 + OMEGA * (1.0f / 36.0f) * rho * EQUILIBRIUM(-ux - uy);
    target[11 * cells + at] = (1.0f - OMEGA) * f11 + OMEGA * (1.0f / 36.0f) * rho * EQUILIBRIUM(uy + uz);
    target[12 * cells + at] = (1.0f - OMEGA) * f12 + OMEGA * (1.0f / 36.0f) * rho * EQUILIBRIUM(uy - uz);
    target[13 * cells + at] = (1.0f - OMEGA) * f13 + OMEGA * (1.0f / 36.0f) * rho * EQUILIBRIUM(-uy + uz);
    target[14 * cells + at] = (1.0f - OMEGA) * f14 + OMEGA * (1.0f / 36.0f) * rho * EQUILIBRIUM(-uy - uz);
    target[15 * cells + at] = (1.0f - OMEGA) * f15 + OMEGA * (1.0f / 36.0f) * rho * EQUILIBRIUM(ux + uz);
    target[16 * cells + at] = (1.0f - OMEGA) * f16 + OMEGA * (1.0f / 36.0f) * rho * EQUILIBRIUM(ux - uz);
    target[17 * cells + at] = (1.0f - OMEGA) * f17 + OMEGA * (1.0f / 36.0f) * rho * EQUILIBRIUM(-ux + uz);
    target[18 * cells + at] = (1.0f - OMEGA) * f18 + OMEGA * (1.0f / 36.0f) * rho * EQUILIBRIUM(-ux - uz);
}
