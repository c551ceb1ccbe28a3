/* What generated functions call, and the loop over calls: host.rs writes the input and reads the output. */
enum { MOST = 1 << 16 };
static u trace[MOST][3], traced, blocks;
static char *first, *second, *x0;
static u head[13];

static void note(u kind, u a, u b) {
    if (traced == MOST) siglongjmp(back, 2);
    trace[traced][0] = kind, trace[traced][1] = a, trace[traced][2] = b;
    ++traced;
}
void fuzz_block(u id) { note(4ull << 32, id, 0), ++blocks; }

static u convergent(u site, u argument) {
    u count = traced - blocks;
    note(site, argument, 0);
    u mixed = (site ^ (argument << 17 | argument >> 47)) * 0x9e3779b97f4a7c15;
    return (mixed ^ mixed >> 29) + count;
}
u fuzz_aligned_barrier(u site, u argument) { return convergent(site, argument); }
u fuzz_shuffle(u site, u argument) { return convergent(site, argument); }

static float opaque(float of, uint32_t factor) {
    uint32_t bits;
    memcpy(&bits, &of, 4);
    bits = ((bits ^ bits >> 15) * factor) & 0x3fffffff;
    memcpy(&of, &bits, 4);
    return of;
}
float fuzz_sin(float of) { return opaque(of, 0x9e3779b1); }
float fuzz_cos(float of) { return opaque(of, 0x85ebca77); }
u __warploom_math_sincos_f32(float of) {
    float sine = fuzz_sin(of), cosine = fuzz_cos(of);
    u both = 0;
    memcpy(&both, &sine, 4), memcpy((char *)&both + 4, &cosine, 4);
    return both;
}
float __warploom_math_sine_of_f32(u both) { float of; memcpy(&of, &both, 4); return of; }
float __warploom_math_cosine_of_f32(u both) { float of; memcpy(&of, (char *)&both + 4, 4); return of; }

/* PTX's conversions: they clamp; NaN is zero unless one side has 64 bits. Registers have 16 bits and more. */
#define CVT(name, type, least, most, end, float, of_nan) \
    type fuzz_cvt_##name(float of) { return of != of ? (type)(of_nan) : of <= (float)(least) ? (type)(least) : of >= (float)(end) ? (type)(most) : (type)of; }
#define CVTS(bits, own, float, name, of_nan) \
    CVT(u##bits##_##name, uint##own##_t, 0, UINT##bits##_MAX, 2.0 * (double)(1ull << (bits - 1)), float, of_nan) \
    CVT(s##bits##_##name, int##own##_t, INT##bits##_MIN, INT##bits##_MAX, (double)(1ull << (bits - 1)), float, of_nan)
CVTS(8, 32, float, f32, 0) CVTS(16, 16, float, f32, 0) CVTS(32, 32, float, f32, 0) CVTS(64, 64, float, f32, 1ull << 63)
CVTS(8, 32, double, f64, 1u << 7) CVTS(16, 16, double, f64, 1u << 15) CVTS(32, 32, double, f64, 1u << 31) CVTS(64, 64, double, f64, 1ull << 63)

static u place(void *at) {
    u offset = (u)((char *)at - x0);
    return offset < head[10] ? offset : 1ull << 32 | (u)((char *)at - (second - head[11]));
}
#define ACCESSES(bits) \
    uint##bits##_t fuzz_load_##bits(uint##bits##_t *at) { note(1ull << 32, place(at), *at); return *at; } \
    void fuzz_store_##bits(uint##bits##_t *at, uint##bits##_t value) { note(2ull << 32, place(at), value); *at = value; } \
    uint##bits##_t fuzz_add_##bits(uint##bits##_t *at, uint##bits##_t value) { \
        uint##bits##_t old = *at; note(3ull << 32, place(at), value); *at = old + value; return old; } \
    uint##bits##_t fuzz_copy_##bits(uint##bits##_t value) { return value; }
ACCESSES(8) ACCESSES(16) ACCESSES(32) ACCESSES(64)

static char *ends(void) {
    char *start = mmap(0, 3 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(start + 4096, 4096, PROT_READ | PROT_WRITE);
    return start + 2 * 4096;
}
static void caught(int signal) { (void)signal; siglongjmp(back, 2); }
int main(void) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGALRM};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = caught;
    action.sa_flags = SA_NODEFER;
    for (int i = 0; i < 6; ++i) sigaction(signals[i], &action, 0);
    first = ends(), second = ends();
    while (fread(head, sizeof head, 1, stdin) == 1) {
        static u ended[11];
        register0 = head[1], register1 = head[2], register2 = head[3];
        x0 = first - head[10];
        char *own = second - head[11], *x1 = head[12] ? x0 + head[12] - 1 : own;
        if (head[10] && !fread(x0, head[10], 1, stdin)) return 1;
        if (head[11] && !fread(own, head[11], 1, stdin)) return 1;
        static _Alignas(16) u out[8];
        memset(out, 0, sizeof out);
        traced = blocks = 0;
        alarm(2);
        ended[0] = FAILS;
        if (!ended[0]) all[head[0]](head[4], head[5], head[6], head[7], x0, head[8], x1, head[9], out);
        ended[1] = failed;
        memcpy(ended + 2, out, sizeof out);
        ended[10] = traced;
        fwrite(ended, sizeof ended, 1, stdout);
        fwrite(trace, sizeof *trace, traced, stdout);
        u size = head[10] + head[11];
        fwrite(&size, sizeof size, 1, stdout);
        fwrite(x0, head[10], 1, stdout);
        fwrite(own, head[11], 1, stdout);
    }
    return 0;
}
