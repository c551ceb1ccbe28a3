// The twin of src/programs/particles.rs.
#include "twin.cuh"

// ANCHOR: algorithm
struct Particle {
    float at[3], velocity[3], life;
};

struct After {
    float dt;
    __host__ __device__ Particle operator()(Particle p) const {
        for (int axis = 0; axis < 3; axis++) {
            p.at[axis] += p.velocity[axis] * dt;
        }
        p.life -= dt;
        return p;
    }
};

struct Alive {
    __host__ __device__ bool operator()(const Particle &p) const { return p.life > 0; }
};

u32 step(const Buffer<Particle> &particles, Buffer<Particle> &alive, float dt) {
    Buffer<u32> count(1);
    auto moved =
        thrust::make_transform_iterator(static_cast<const Particle *>(particles.data), After{dt});
    cub_call([&](void *memory, size_t &bytes) {
        return cub::DeviceSelect::If(memory, bytes, moved, alive.data, count.data,
                                     static_cast<int>(particles.size), Alive());
    });
    return count.first();
}
// ANCHOR_END: algorithm

int main(int argc, char **argv) {
    u32 n = elements(argc, argv);
    std::vector<Particle> particles(n);
    u32 expected = 0;
    for (u32 i = 0; i < n; i++) {
        u32 x = noise(i);
        particles[i] = {{static_cast<float>(x), 0.5f, -1.0f},
                        {1.0f, -2.0f, static_cast<float>(x % 7)},
                        static_cast<float>(x % 8)};
        expected += x % 8 > 2;
    }
    Buffer<Particle> x(particles), alive(n);
    u32 count = 0;
    timed("three of eight end", [&] { count = step(x, alive, 2.0f); });
    right(count == expected, "the number of particles");
    for (const Particle &p : alive.first(count)) {
        right(p.at[1] == -3.5f && p.life > 0, "a particle");
    }
}
