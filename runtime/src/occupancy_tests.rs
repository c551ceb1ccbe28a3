use super::*;

/// Capability, threads, registers and shared bytes; registers and shared bytes of a block, blocks, warps, percent.
type Line = ((u32, u32), [u32; 3], [u32; 2], [u32; 3]);

/// Derived from the formulas of the guide's chapter 4.2 and the limits of its appendix G.
const GUIDE: [Line; 11] = [
    ((1, 2), [512, 16, 0], [8192, 0], [2, 32, 100]),
    ((1, 2), [512, 17, 0], [8704, 0], [1, 16, 50]),
    ((1, 0), [256, 10, 0], [2560, 0], [3, 24, 100]),
    ((1, 0), [256, 11, 0], [2816, 0], [2, 16, 67]),
    ((1, 3), [256, 17, 2048], [4608, 2048], [3, 24, 75]),
    ((1, 3), [256, 16, 9000], [4096, 9216], [1, 8, 25]),
    ((1, 0), [512, 17, 0], [8704, 0], [0, 0, 0]),
    ((2, 0), [256, 20, 0], [5120, 0], [6, 48, 100]),
    ((2, 0), [256, 21, 0], [5632, 0], [5, 40, 83]),
    ((2, 0), [256, 63, 0], [16_384, 0], [2, 16, 33]),
    ((2, 0), [1024, 33, 0], [34_816, 0], [0, 0, 0]),
];

fn needs(threads: u32, registers: u32, shared_bytes: u32) -> BlockNeeds {
    BlockNeeds {
        threads,
        registers,
        shared_bytes,
    }
}

//@ rows: GPF5-6, GPF5-8
#[test]
fn the_figures_of_the_guide_are_reproduced() {
    for ((major, minor), [threads, registers, shared], taken, expected) in GUIDE {
        let gpu = Multiprocessor::historical(major, minor).unwrap();
        let room = gpu.occupancy_of(&needs(threads, registers, shared));
        let found = [room.registers_per_block, room.shared_bytes_per_block];
        let percent = (100.0 * room.occupancy()).round() as u32;
        assert_eq!(
            (found, [room.blocks, room.warps, percent]),
            (taken, expected),
            "{major}.{minor}: {threads} threads, {registers} registers, {shared} bytes"
        );
    }
    assert_eq!(Multiprocessor::historical(3, 0), None);
}

#[test]
fn the_limits_of_the_guide_bound_blocks_and_threads() {
    for (capability, most) in [((1, 1), 512), ((1, 3), 512), ((2, 0), 1024)] {
        let gpu = Multiprocessor::historical(capability.0, capability.1).unwrap();
        assert!(gpu.occupancy_of(&needs(most, 8, 0)).blocks > 0);
        assert_eq!(gpu.occupancy_of(&needs(most + 1, 8, 0)).blocks, 0);
        assert_eq!(gpu.occupancy_of(&needs(32, 8, 0)).blocks, 8);
        assert_eq!(
            gpu.occupancy_of(&needs(32, 8, gpu.shared_bytes + 1)).blocks,
            0
        );
    }
}

#[test]
fn without_registers_the_models_places_are_those_of_the_emulator() {
    for model in Model::all() {
        let gpu = Multiprocessor::of(model);
        for threads in [1, 31, 32, 33, 96, 128, 500, 768, 1024] {
            for shared in [0, 1, 1000, 8 * 1024, 33 * 1024, 64 * 1024] {
                if shared > gpu.shared_bytes_per_block {
                    continue;
                }
                assert_eq!(
                    gpu.occupancy_of(&needs(threads, 0, shared)).blocks,
                    model.limits().blocks_of(threads, shared),
                    "{model}: {threads} threads, {shared} bytes"
                );
            }
        }
    }
}

//@ rows: GLA-5
#[test]
fn registers_decide_on_todays_gpus_too() {
    let hopper = Multiprocessor::of(Model::CC_9_0);
    let blocks = |threads, registers| hopper.occupancy_of(&needs(threads, registers, 0)).blocks;
    assert_eq!(blocks(1024, 32), 2);
    assert_eq!(blocks(1024, 33), 1);
    assert_eq!(blocks(1024, 64), 1);
    assert_eq!(blocks(1024, 65), 0, "the launch fails");
    assert_eq!(blocks(32, 255), 8);
    assert_eq!(blocks(32, 256), 0, "no thread has so many");
    // Five warps are checked as eight, two for each part: 8 × 8192 registers is all there is.
    assert_eq!(blocks(160, 255), 1);
    assert_eq!(blocks(288, 255), 0);
}

//@ rows: GCC-33
#[test]
fn warps_are_counted_in_pairs_once_and_in_fours_today() {
    // Three warps take the registers of four: 4 x 32 x 10.
    let tesla = Multiprocessor::historical(1, 0).unwrap();
    let room = tesla.occupancy_of(&needs(96, 10, 0));
    assert_eq!((room.registers_per_block, room.blocks), (1280, 6));
    let four = tesla.occupancy_of(&needs(128, 10, 0));
    assert_eq!((four.registers_per_block, four.blocks), (1280, 6));
    // Each warp for itself: 3 x 320.
    let fermi = Multiprocessor::historical(2, 0).unwrap();
    assert_eq!(
        fermi.occupancy_of(&needs(96, 10, 0)).registers_per_block,
        960
    );
    // One warp after the other goes to one of four parts, each with registers for 2 such warps: the ninth has none.
    let hopper = Multiprocessor::of(Model::CC_9_0);
    let blocks = |warps: u32| hopper.occupancy_of(&needs(32 * warps, 255, 0)).blocks;
    assert_eq!([blocks(1), blocks(4), blocks(8), blocks(9)], [8, 2, 1, 0]);
}

//@ rows: GCC-34
#[test]
fn registers_are_given_away_in_units() {
    // Two warps of 11 registers: 704, rounded up for the block, or twice 352, rounded up for each warp.
    for ((major, minor), taken) in [((1, 0), 768), ((1, 3), 1024), ((2, 0), 768)] {
        let gpu = Multiprocessor::historical(major, minor).unwrap();
        let room = gpu.occupancy_of(&needs(64, 11, 0));
        assert_eq!(room.registers_per_block, taken, "{major}.{minor}");
    }
    for model in Model::all() {
        let room = Multiprocessor::of(model).occupancy_of(&needs(64, 11, 0));
        assert_eq!(room.registers_per_block, 1024, "{model}");
    }
}

//@ rows: GCC-35
#[test]
fn shared_memory_is_given_away_in_units() {
    for ((major, minor), unit) in [((1, 0), 512), ((1, 3), 512), ((2, 0), 128)] {
        let gpu = Multiprocessor::historical(major, minor).unwrap();
        for (bytes, taken) in [(1, unit), (unit, unit), (unit + 1, 2 * unit)] {
            let room = gpu.occupancy_of(&needs(64, 8, bytes));
            assert_eq!(room.shared_bytes_per_block, taken, "{major}.{minor}");
        }
    }
}

//@ rows: GCC-35
#[test]
fn shared_memory_is_taken_in_units_beside_what_is_reserved() {
    let ampere = Multiprocessor::of(Model::CC_8_6);
    let room = ampere.occupancy_of(&needs(64, 16, 7 * 1024 + 1));
    assert_eq!(room.shared_bytes_per_block, 8 * 1024 + 128);
    assert_eq!((room.by_shared, room.blocks), (Some(12), 12));
    assert_eq!(room.to_string(), "12 blocks, 24 of 48 warps (50 %)");
}

#[test]
fn the_best_block_is_the_largest_that_fills_most() {
    let ada = Multiprocessor::of(Model::CC_8_9);
    let best = |shared: fn(u32) -> u32, registers| {
        let blocks = |threads| {
            Ok::<_, ()>(
                ada.occupancy_of(&needs(threads, registers, shared(threads)))
                    .blocks,
            )
        };
        best_block((1024, 32), None, 1536, blocks).unwrap()
    };
    // 1536 threads at a time: 1024 leave a third of the places empty.
    assert_eq!(best(|_| 0, 32), Some((768, 2)));
    assert_eq!(best(|_| 0, 128), Some((512, 1)));
    assert_eq!(best(|threads| threads * 64, 32), Some((768, 2)));
    assert_eq!(best(|threads| threads * 128, 32), Some((768, 1)));
    assert_eq!(best(|_| 200 * 1024, 32), None);
}

#[test]
fn a_kernel_with_one_block_has_no_choice() {
    let mut asked = Vec::new();
    let blocks = |threads| {
        asked.push(threads);
        Ok::<_, ()>(3)
    };
    assert_eq!(
        best_block((1024, 32), Some(96), 2048, blocks),
        Ok(Some((96, 3)))
    );
    assert_eq!(asked, [96]);
    let failing = |_| Err("no");
    assert_eq!(best_block((64, 32), None, 2048, failing), Err("no"));
    let odd = |_| Ok::<_, ()>(1);
    assert_eq!(best_block((70, 32), None, 2048, odd), Ok(Some((70, 1))));
}
