//! What an H200 says of itself (`CUdevice_attribute`).

/// Number and value.
const H200: &[(i32, i32)] = &[
    (1, 1024), // threads of a block
    (2, 1024),
    (3, 1024),
    (4, 64),
    (5, 2_147_483_647), // blocks of a grid
    (6, 65_535),
    (7, 65_535),
    (8, 49_152),         // shared memory of a block
    (9, 65_536),         // constant memory
    (10, 32),            // threads of a warp
    (11, 2_147_483_647), // pitch
    (12, 65_536),        // registers of a block
    (13, 1_980_000),     // kHz
    (14, 512),           // texture alignment
    (15, 1),             // copies beside kernels
    (16, 132),           // multiprocessors
    (17, 0),             // no limit of run times
    (18, 0),             // integrated
    (19, 1),             // maps host memory
    (20, 0),             // compute mode: default
    (21, 131_072),       // 1-D textures
    (22, 131_072),       // 2-D textures
    (23, 65_536),
    (24, 16_384), // 3-D textures
    (25, 16_384),
    (26, 16_384),
    (27, 32_768), // layered 2-D textures
    (28, 32_768),
    (29, 2048),
    (30, 512),        // surface alignment
    (31, 1),          // kernels side by side
    (32, 1),          // ECC
    (33, 4),          // PCI bus of the first GPU
    (34, 0),          // PCI device
    (35, 0),          // TCC driver
    (36, 3_201_000),  // kHz of the memory
    (37, 6144),       // bits of the memory's bus
    (38, 62_914_560), // bytes of L2
    (39, 2048),       // threads of a multiprocessor
    (40, 3),          // engines for copies
    (41, 1),          // unified addressing
    (42, 32_768),     // layered 1-D textures
    (43, 2048),
    (45, 32_768), // gathered 2-D textures
    (46, 32_768),
    (47, 8192), // 3-D textures in their other shape
    (48, 8192),
    (49, 32_768),
    (50, 0),      // PCI domain
    (51, 32),     // texture pitch alignment
    (52, 32_768), // cubes
    (53, 32_768), // layered cubes
    (54, 2046),
    (55, 32_768),  // 1-D surfaces
    (56, 131_072), // 2-D surfaces
    (57, 65_536),
    (58, 16_384), // 3-D surfaces
    (59, 16_384),
    (60, 16_384),
    (61, 32_768), // layered 1-D surfaces
    (62, 2048),
    (63, 32_768), // layered 2-D surfaces
    (64, 32_768),
    (65, 2048),
    (66, 32_768), // cube surfaces
    (67, 32_768), // layered cube surfaces
    (68, 2046),
    (69, 268_435_456), // textures of linear memory
    (70, 131_072),     // of rows in linear memory
    (71, 65_000),
    (72, 2_097_120),
    (73, 32_768), // 2-D textures with levels
    (74, 32_768),
    (75, 9), // compute capability
    (76, 0),
    (77, 32_768),  // 1-D textures with levels
    (78, 1),       // stream priorities
    (79, 1),       // L1 for global memory
    (80, 1),       // L1 for local memory
    (81, 233_472), // shared memory of a multiprocessor
    (82, 65_536),  // registers of a multiprocessor
    (83, 1),       // managed memory
    (84, 0),       // part of a board with several GPUs
    (85, 0),
    (86, 0),            // native atomics on host memory over the link
    (87, 2),            // single to double performance
    (88, 1),            // pageable memory access
    (89, 1),            // managed memory from both sides at once
    (90, 1),            // compute preemption
    (91, 1),            // host pointers of registered memory
    (95, 1),            // cooperative launches
    (97, 232_448),      // shared memory of a block, on request
    (99, 1),            // registers host memory
    (100, 0),           // pageable memory by the host's page tables
    (101, 0),           // direct managed access from the host
    (102, 1),           // virtual memory management
    (106, 32),          // blocks of a multiprocessor
    (108, 39_321_600),  // persisting L2
    (109, 134_217_728), // access policy window
    (111, 1024),        // shared memory that each block takes besides
    (113, 1),           // registers read-only host memory
    (115, 1),           // memory pools
    (120, 1),           // clusters
];

/// The value of an attribute of a GPU; those without an entry are 0, and there are some 150.
pub(crate) fn attribute(number: i32, device: i32) -> Option<i32> {
    if !(1..=150).contains(&number) {
        return None;
    }
    let found = H200.iter().find(|(known, _)| *known == number);
    let value = found.map_or(0, |(_, value)| *value);
    // Each GPU sits on a bus of its own.
    Some(if number == 33 { value + device } else { value })
}
