//! Tiles in phases, raw arrays and dynamic shared memory, over several blocks and odd sizes.
mod launch;
use launch::{Output, each_thread, launch};
use std::sync::atomic::Ordering::Relaxed;
use warploom_device_std::*;
use warploom_emulator::Fault;

enum Site {}

fn block<'k>() -> Block<'k> {
    // SAFETY: used in the thread that makes it.
    unsafe { Block::from_launch() }
}

fn tile<'k, const ORDINAL: u32, T: Plain, const N: usize>() -> SharedTile<'k, T, N> {
    // SAFETY: each test makes each ordinal once in each thread, and no test uses barriers 1 to 3 otherwise.
    unsafe { SharedTile::from_launch::<ORDINAL, Site>() }
}

impl shared::TileName for Site {
    const NAME: &'static str = "tile";
    const TILES: u32 = 2;
}

#[test]
fn a_tile_is_read_by_all_after_publishing() {
    for threads in [1, 31, 64, 100] {
        let seen = each_thread(5, threads, |at| {
            let mut tile = tile::<0, u32, 67>();
            let block = block();
            tile.fill(|slot| (block.index() * 1000 + slot) as u32);
            let view = tile.publish(&block);
            assert_eq!(view.len(), 67);
            view[(at * 7) % 67]
        });
        for (at, seen) in seen.iter().enumerate() {
            assert_eq!(
                *seen as usize,
                at / threads as usize * 1000 + (at * 7) % 67,
                "{threads} threads"
            );
        }
    }
}

#[test]
fn a_tile_goes_through_many_phases() {
    let seen = each_thread(3, 50, |_| {
        let (mut tile, block) = (tile::<0, u64, 50>(), block());
        let mut sum = block.thread() as u64;
        for _ in 0..20 {
            tile.set_own(0, sum);
            let view = tile.publish(&block);
            sum = view[(block.thread() + 1) % 50] + 1;
            tile = view.reclaim(&block);
        }
        sum
    });
    assert!(
        seen.iter()
            .enumerate()
            .all(|(at, sum)| *sum as usize == (at % 50 + 20) % 50 + 20)
    );
}

#[test]
fn slots_keep_their_value_over_reclaim() {
    let seen = each_thread(2, 8, |_| {
        let (mut tile, block) = (tile::<0, u32, 24>(), block());
        tile.fill(|slot| slot as u32);
        let mut tile = tile.publish(&block).reclaim(&block);
        tile.set_own(1, 100 + block.thread() as u32);
        tile.publish(&block).iter().sum::<u32>()
    });
    assert_eq!(
        seen,
        [(0..8).chain(100..108).chain(16..24).sum::<u32>(); 16]
    );
}

#[test]
fn two_tiles_are_two_places() {
    let seen = each_thread(3, 40, |_| {
        let (mut a, mut b, block) = (tile::<0, u32, 40>(), tile::<1, u32, 40>(), block());
        a.fill(|slot| slot as u32);
        b.fill(|slot| 1000 + slot as u32);
        let (b, a) = (b.publish(&block), a.publish(&block));
        a[39 - block.thread()] + b[block.thread()]
    });
    assert_eq!(seen, [1039; 120]);
}

#[test]
fn a_slot_outside_panics_with_slot_and_n() {
    let result = launch(2, 8, || tile::<0, u32, 20>().set_own(2, 1));
    let Err(Fault::Panic {
        message,
        block,
        thread,
        count,
        file,
        ..
    }) = result
    else {
        unreachable!("{result:?}")
    };
    assert_eq!(
        message,
        "index out of bounds: the len is 20 but the index is 20"
    );
    assert_eq!((block, thread, count), ([0, 0, 0], [4, 0, 0], 8));
    assert!(
        file.ends_with("shared.rs"),
        "{file}: the line of the caller, not of the library"
    );
}

#[test]
fn a_huge_slot_number_does_not_wrap() {
    let result = launch(1, 4, || tile::<0, u32, 20>().set_own(usize::MAX / 4 + 1, 1));
    assert!(
        matches!(result, Err(Fault::Panic { count: 4, .. })),
        "{result:?}"
    );
}

#[test]
fn raw_arrays_are_one_per_block_and_place() {
    let seen = each_thread(4, 33, |_| {
        let (a, b, block) = (shared_array!(u32, 33), shared_array!(u32, 33), block());
        let t = block.thread();
        // SAFETY: own element before the barrier, any after it.
        unsafe { a.set(t, block.index() as u32) };
        // SAFETY: as above.
        unsafe { b.set(t, 100) };
        block.sync();
        // SAFETY: no thread writes after the barrier.
        let (a, b) = (unsafe { a.get(32 - t) }, unsafe { b.get(32 - t) });
        a + b
    });
    assert!(
        seen.iter()
            .enumerate()
            .all(|(at, sum)| *sum as usize == 100 + at / 33)
    );
}

//@ rows: E-1
#[test]
fn a_raw_element_outside_panics() {
    let result = launch(1, 1, || {
        // SAFETY: one thread.
        let outside = unsafe { shared_array!(u8, 3).get(3) };
        assert_eq!(outside, 0, "never reached");
    });
    assert!(
        matches!(&result, Err(Fault::Panic { message, .. }) if message == "element 3 of a shared array with 3 elements"),
        "{result:?}"
    );
}

#[test]
fn arrays_and_tiles_without_room_are_named_by_the_line_that_has_them() {
    let array = line!() + 3;
    let result = launch(1, 2, || {
        shared_array!(u32, 12_000);
        shared_array!(u64, 2_000);
    });
    let of_tiles = launch(1, 2, || {
        shared_array!(u32, 12_000);
        let _tile = tile::<1, u8, 2_000>();
    });
    // Tiles are made where `tile` of these tests makes them; by the code around a kernel otherwise.
    for (result, expected, bytes) in [(result, array, 64_000), (of_tiles, 17, 50_000)] {
        let Err(Fault::SharedFull {
            fixed,
            limit,
            line,
            file,
            ..
        }) = &result
        else {
            unreachable!("{result:?}")
        };
        assert_eq!((*fixed, *limit), (bytes, 49_152));
        assert_eq!((*line, &**file), (expected, file!()));
    }
}

#[test]
fn shared_atomics_of_every_type() {
    let seen = each_thread(3, 45, |_| {
        let (a, b, c, block) = (
            shared_array!(i64, 1),
            shared_array!(f32, 2),
            shared_array!(u64, 1),
            block(),
        );
        if block.thread() == 0 {
            a.atomic(0).store(0, Relaxed);
            b.atomic(1).store(0.0, Relaxed);
            c.atomic(0).store(0, Relaxed);
        }
        block.sync();
        a.atomic(0).fetch_add(2, Relaxed);
        b.atomic(1).fetch_add(1.0);
        atomic_add(c.atomic(0), 1);
        block.sync();
        a.atomic(0).load(Relaxed)
            + b.atomic(1).load(Relaxed) as i64
            + c.atomic(0).load(Relaxed) as i64
    });
    assert_eq!(seen, [180; 135]);
}

#[test]
fn dynamic_memory_has_the_length_of_the_launch() {
    let seen = each_thread(3, 64, |_| {
        let (words, block) = (dynamic_shared!(u32), block());
        assert_eq!((words.len(), dynamic_shared!([u8; 5]).len()), (256, 204));
        assert!(words.as_ptr().addr().is_multiple_of(128));
        // SAFETY: own elements before the barrier, any after it.
        unsafe {
            words.set(
                block.thread(),
                (block.index() * 100 + block.thread()) as u32,
            )
        };
        block.sync();
        // SAFETY: no thread writes after the barrier.
        unsafe { words.get(63 - block.thread()) }
    });
    assert!(
        seen.iter()
            .enumerate()
            .all(|(at, value)| *value as usize == at / 64 * 100 + 63 - at % 64)
    );
}

#[test]
fn tiles_and_outputs_work_together() {
    let (x, y) = (
        Vec::from_iter((0..1000u32).map(|i| i * i)),
        Output::new(0u32, 8),
    );
    let result = launch(8, 125, || {
        // SAFETY: the launch is one-dimensional; used in this thread.
        let i = unsafe { Index1D::from_launch() };
        let (mut tile, block) = (tile::<0, u32, 125>(), block());
        tile.set_own(0, x[i.get()]);
        let view = tile.publish(&block);
        if let Some(leader) = block.leader()
            && let Some(y) = y.slice::<PerBlock>().get_mut(leader)
        {
            *y = view.iter().copied().fold(0, u32::wrapping_add);
        }
    });
    let expected = Vec::from_iter(
        x.chunks(125)
            .map(|part| part.iter().copied().fold(0, u32::wrapping_add)),
    );
    assert_eq!((result, y.read()), (Ok(()), expected));
}
