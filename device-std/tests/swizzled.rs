//! Layouts of swizzled tiles, and tiles in dynamic and static shared memory.
mod launch;
use launch::each_thread;
use std::collections::HashSet;
use warploom_device_std::shared::{
    Swizzle, Swizzle32, Swizzle64, Swizzle128, SwizzledTile, SwizzledTiles, Unswizzled,
};
use warploom_device_std::*;
use warploom_emulator::{Shape, run};

/// The bytes of all elements of a tile are different, and all of the tile's.
fn is_permutation<T: Plain, const R: usize, const C: usize, S: Swizzle>() {
    type Tile<T, const R: usize, const C: usize, S> = SwizzledTile<'static, T, R, C, S>;
    let offsets: HashSet<usize> = (0..R)
        .flat_map(|row| (0..C).map(move |col| Tile::<T, R, C, S>::offset(row, col)))
        .collect();
    assert_eq!(offsets.len(), R * C);
    assert_eq!(
        offsets.iter().max(),
        Some(&(Tile::<T, R, C, S>::BYTES - size_of::<T>()))
    );
    assert!(offsets.iter().all(|at| at.is_multiple_of(size_of::<T>())));
}

#[test]
fn every_element_has_a_place_of_its_own() {
    is_permutation::<u16, 64, 64, Swizzle128>();
    is_permutation::<u16, 24, 128, Swizzle128>();
    is_permutation::<u16, 8, 96, Swizzle64>();
    is_permutation::<u32, 40, 8, Swizzle32>();
    is_permutation::<u8, 16, 48, Unswizzled>();
    is_permutation::<u8, 8, 256, Swizzle128>();
}

/// The chunks of 16 bytes at which the first chunks of eight rows lie.
fn first_chunks<S: Swizzle>() -> Vec<usize> {
    (0..8)
        .map(|row| SwizzledTile::<u8, 8, 128, S>::offset(row, 0) / 16)
        .collect()
}

#[test]
fn bits_of_the_address_are_combined_as_the_manual_says() {
    assert_eq!(
        first_chunks::<Swizzle128>(),
        [0, 9, 18, 27, 36, 45, 54, 63],
        "bits 4 to 6 with bits 7 to 9"
    );
    assert_eq!(
        first_chunks::<Swizzle64>(),
        [0, 4, 9, 13, 18, 22, 27, 31],
        "bits 4 and 5 with bits 7 and 8"
    );
    assert_eq!(
        first_chunks::<Swizzle32>(),
        [0, 2, 4, 6, 9, 11, 13, 15],
        "bit 4 with bit 7"
    );
    assert_eq!(first_chunks::<Unswizzled>(), [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn a_panel_is_what_one_copy_writes() {
    type Tile = SwizzledTile<'static, u16, 16, 192, Swizzle128>;
    assert_eq!((Tile::PANELS, Tile::PANEL_COLS), (3, 64));
    for (col, panel) in [(0, 0), (63, 0), (64, 1), (191, 2)] {
        for row in 0..16 {
            assert_eq!(Tile::offset(row, col) / Tile::PANEL_BYTES, panel);
        }
    }
}

#[test]
fn tiles_of_a_ring_begin_at_multiples_of_1024() {
    type Tile = SwizzledTile<'static, u16, 8, 32, Swizzle64>;
    assert_eq!((Tile::BYTES, Tile::STRIDE), (512, 1024));
    assert_eq!(
        SwizzledTiles::<'static, u16, 8, 32, Swizzle64, 3>::BYTES,
        3072
    );
}

fn block<'k>() -> Block<'k> {
    // SAFETY: used in the thread that makes it.
    unsafe { Block::from_launch() }
}

/// Fills the stages with numbers of their own; gives what thread `at` reads then in the order of rows.
fn written_then_read(stages: SwizzledTiles<'_, u16, 16, 64, Swizzle128, 3>, at: usize) -> u16 {
    let block = block();
    for stage in 0..3 {
        let value = |row, col| (stage * 2000 + row * 64 + col) as u16;
        // SAFETY: each thread of the block has a number of its own.
        unsafe {
            stages
                .stage(stage)
                .fill(block.thread(), block.threads(), value)
        };
    }
    block.sync();
    let (stage, element) = (at % 3, at * 7 % 1024);
    // SAFETY: no thread writes behind the barrier.
    unsafe { stages.stage(stage).get(element / 64, element % 64) }
}

fn expected(at: usize) -> usize {
    at % 3 * 2000 + at * 7 % 1024
}

#[test]
fn static_tiles_hold_what_their_owners_wrote() {
    for threads in [32, 100, 128] {
        let seen = each_thread(2, threads, |at| {
            written_then_read(swizzled_tiles!(block()), at)
        });
        for (at, seen) in seen.iter().enumerate() {
            assert_eq!(usize::from(*seen), expected(at), "{threads} threads");
        }
    }
}

#[test]
fn tiles_are_cut_from_dynamic_shared_memory_at_multiples_of_1024() {
    const BYTES: u32 = SharedLayout::new()
        .with::<u64>(2)
        .with_tiles::<u16, 16, 64, Swizzle128, 3>()
        .bytes();
    assert_eq!(BYTES, 1024 + 3 * 2048);
    let shape = Shape {
        dynamic_shared_bytes: BYTES,
        ..Shape::new([2, 1, 1], [64, 1, 1])
    };
    run(shape, &|| {
        // SAFETY: used in the thread that makes it.
        let memory = unsafe { DynamicShared::<u8>::from_launch() };
        let mut carve = memory.carve();
        let _ = carve.take::<u64>(2);
        let tiles = carve.take_tiles();
        assert_eq!(carve.left(), 0);
        assert!(tiles.stage(0).as_ptr().addr().is_multiple_of(1024));
        let at = block().thread();
        assert_eq!(usize::from(written_then_read(tiles, at)), expected(at));
    })
    .unwrap();
}

#[test]
#[should_panic(expected = "do not fit into the 2048 bytes")]
fn tiles_that_do_not_fit_are_refused() {
    let shape = Shape {
        dynamic_shared_bytes: 2048,
        ..Shape::new([1, 1, 1], [1, 1, 1])
    };
    run(shape, &|| {
        // SAFETY: used in the thread that makes it.
        let memory = unsafe { DynamicShared::<u8>::from_launch() };
        let _ = memory.carve().take_tiles::<u16, 16, 64, Swizzle128, 2>();
    })
    .unwrap();
}
