//! Tiles of two buffers, and several tiles that change their phase at one barrier; attacks on both.
mod launch;
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use launch::{Output, each_thread, launch};
use warploom_device_std::*;
use warploom_emulator::Fault;

/// A kernel of so many tiles.
struct Of<const TILES: u32>;

impl<const TILES: u32> shared::TileName for Of<TILES> {
    const NAME: &'static str = "tile";
    const TILES: u32 = TILES;
}

fn block<'k>() -> Block<'k> {
    // SAFETY: used in the thread that makes it.
    unsafe { Block::from_launch() }
}

fn tile<'k, const ORDINAL: u32, const TILES: u32, const N: usize>() -> SharedTile<'k, usize, N> {
    // SAFETY: each test makes each ordinal once in each thread, for one number of tiles, and uses no other barrier but 0.
    unsafe { SharedTile::from_launch::<ORDINAL, Of<TILES>>() }
}

fn double<'k, const ORDINAL: u32, const TILES: u32, const N: usize>() -> DoubleTile<'k, usize, N> {
    // SAFETY: as for `tile`.
    unsafe { DoubleTile::from_launch::<ORDINAL, Of<TILES>>() }
}

fn is_deadlock(result: &Result<(), Fault>) -> bool {
    matches!(result, Err(Fault::Deadlock { .. }))
}

#[test]
fn each_step_shows_what_the_step_before_wrote() {
    for threads in [1, 31, 50, 64] {
        let seen = each_thread(3, threads, |_| {
            let (mut tile, block) = (double::<0, 1, 64>(), block());
            assert_eq!((tile.len(), tile.is_empty()), (64, false));
            tile.fill(|slot| slot + block.index());
            let mut view = tile.publish(&block);
            for step in 0..9 {
                let expected = |slot| (slot + step) % 64 + block.index();
                assert!((0..64).all(|slot| view[slot] == expected(slot)));
                view.fill(|shown, slot| shown[(slot + 1) % 64]);
                view.publish(&block);
            }
            view[block.thread()]
        });
        let threads = threads as usize;
        for (at, seen) in seen.iter().enumerate() {
            assert_eq!(
                *seen,
                at % threads + 9 - if at % threads > 54 { 64 } else { 0 } + at / threads
            );
        }
    }
}

#[test]
fn slots_that_are_not_written_hold_what_they_held_two_steps_before() {
    let seen = each_thread(2, 8, |_| {
        let (mut tile, block) = (double::<0, 1, 16>(), block());
        tile.fill(|slot| 100 + slot);
        let mut view = tile.publish(&block);
        view.fill(|_, slot| 200 + slot);
        view.publish(&block);
        view.set_own(1, 300); // slots 8 to 15
        view.publish(&block);
        let first = view[3] * 1000 + view[11];
        view.publish(&block);
        assert_eq!((view[3], view[11]), (203, 211));
        first
    });
    assert_eq!(seen, [103_300; 16]);
}

#[test]
fn a_slot_outside_of_a_buffer_panics() {
    for k in [2, usize::MAX / 4 + 1] {
        let result = launch(1, 8, || {
            double::<0, 1, 16>().publish(&block()).set_own(k, 1)
        });
        let Err(Fault::Panic { message, file, .. }) = &result else {
            unreachable!("{result:?}")
        };
        assert!(
            message.starts_with("index out of bounds: the len is 16"),
            "{message}"
        );
        assert!(
            file.ends_with("phases.rs"),
            "{file}: the line of the caller"
        );
    }
}

#[test]
fn the_own_slot_is_read_before_it_is_published() {
    let seen = each_thread(2, 8, |at| {
        let (mut tile, block) = (tile::<0, 1, 16>(), block());
        tile.fill(|slot| slot);
        for k in 0..2 {
            tile.set_own(k, tile.get_own(k) * 10 + at);
        }
        tile.get_own(0) * 1000 + tile.publish(&block)[15]
    });
    let of = |at: usize| (at % 8 * 10 + at) * 1000 + 150 + at / 8 * 8 + 7;
    assert_eq!(seen, Vec::from_iter((0..16).map(of)));
}

#[test]
fn tiles_are_published_and_reclaimed_together() {
    // With four tiles each set has a barrier; with five there is one for each tile.
    fn rounds<const TILES: u32>() -> Vec<usize> {
        each_thread(3, 40, |_| {
            let block = block();
            let (mut a, mut b) = (tile::<0, TILES, 40>(), tile::<1, TILES, 40>());
            let (mut c, d) = (tile::<2, TILES, 40>(), double::<3, TILES, 40>());
            let mut d = d.publish(&block);
            let mut sum = block.thread();
            for round in 0..12 {
                a.set_own(0, sum);
                b.set_own(0, sum + 1);
                c.set_own(0, sum + 2);
                d.set_own(0, sum + 3);
                let next = (block.thread() + 1) % 40;
                let (shown_a, shown_b, shown_c) = match round % 4 {
                    0 => {
                        let (a, b, c, ()) = (a, b, c, &mut d).publish(&block);
                        (a, b, c)
                    }
                    1 => {
                        let ((c, ()), (b, a)) =
                            ((c, &mut d).publish(&block), (b, a).publish(&block));
                        (a, b, c)
                    }
                    2 => {
                        let (b, (), a) = (b, &mut d, a).publish(&block);
                        (a, b, c.publish(&block))
                    }
                    _ => {
                        d.publish(&block);
                        let (a, (b, c)) = (a, (b, c)).publish(&block);
                        (a, b, c)
                    }
                };
                sum =
                    shown_a[next] + shown_b[next] + shown_c[next] + d[next] - 3 * shown_a[next] - 6;
                (a, b, c) = match round % 3 {
                    0 => (shown_a, shown_b, shown_c).reclaim(&block),
                    1 => {
                        let (a, c) = (shown_a, shown_c).reclaim(&block);
                        (a, shown_b.reclaim(&block), c)
                    }
                    _ => (
                        shown_a.reclaim(&block),
                        shown_b.reclaim(&block),
                        shown_c.reclaim(&block),
                    ),
                };
            }
            sum
        })
    }
    let expected = Vec::from_iter((0..120).map(|at| (at % 40 + 12) % 40));
    assert_eq!(rounds::<4>(), expected);
    assert_eq!(rounds::<5>(), expected);
}

/// Were the barrier of a set that of one of its tiles, the others would be read while they are written.
#[test]
fn a_set_and_its_parts_hang_and_never_release() {
    for thread in [0, 5] {
        let result = launch(1, 8, || {
            let block = block();
            let (mut a, mut b) = (tile::<0, 2, 8>(), tile::<1, 2, 8>());
            a.set_own(0, 1);
            if block.thread() == thread {
                let a = a.publish(&block);
                b.set_own(0, a[0]); // the others would read this slot
                block.sync();
            } else {
                let (a, b) = (a, b).publish(&block);
                assert_eq!(a[0], b[thread]);
                block.sync();
            }
        });
        assert!(is_deadlock(&result), "{result:?}");
    }
}

/// Without barriers of sets both ways are the same barriers in the same order.
#[test]
fn five_tiles_are_published_one_after_the_other() {
    let seen = each_thread(2, 8, |_| {
        let block = block();
        let (mut a, mut b) = (tile::<0, 5, 8>(), tile::<1, 5, 8>());
        a.set_own(0, 1);
        if block.thread() == 3 {
            let a = a.publish(&block);
            b.set_own(0, a[0] + 4);
            return b.publish(&block)[7];
        }
        b.set_own(0, 2);
        let (b, a) = (b, a).publish(&block);
        a[3] * 10 + b[3]
    });
    let of = |at: usize| if at % 8 == 3 { 2 } else { 15 };
    assert_eq!(seen, Vec::from_iter((0..16).map(of)));
}

#[test]
fn two_sets_with_a_common_tile_hang_and_never_release() {
    let result = launch(1, 8, || {
        let block = block();
        let (a, b, c) = (tile::<0, 3, 8>(), tile::<1, 3, 8>(), tile::<2, 3, 8>());
        if block.thread() == 2 {
            let (a, c) = (a, c).publish(&block);
            assert_eq!(a.len() + c.len() + b.len(), 24);
            block.sync();
        } else {
            let (a, b) = (a, b).publish(&block);
            assert_eq!(a.len() + b.len() + c.len(), 24);
            block.sync();
        }
    });
    assert!(is_deadlock(&result), "{result:?}");
}

/// A thread that is one step behind would write the buffer that the others read.
#[test]
fn a_step_that_one_thread_leaves_out_hangs_and_never_releases() {
    let result = launch(1, 8, || {
        let (mut tile, block) = (double::<0, 1, 8>(), block());
        tile.fill(|slot| slot);
        let mut view = tile.publish(&block);
        if block.thread() != 3 {
            view.publish(&block);
        }
        view.set_own(0, 7);
        block.sync();
        assert_eq!(view[0], 0, "never reached");
    });
    assert!(is_deadlock(&result), "{result:?}");
}

/// Exchanged handles carry their buffers and their barrier along, whatever is shown of each.
#[test]
fn exchanging_two_double_tiles_changes_nothing() {
    let seen = each_thread(3, 32, |_| {
        let (mut a, mut b, block) = (double::<0, 2, 32>(), double::<1, 2, 32>(), block());
        let odd = block.thread() % 2 == 1;
        a.set_own(0, 1);
        b.set_own(0, 20);
        if odd {
            std::mem::swap(&mut a, &mut b);
        }
        let (mut a, mut b) = (a, b).publish(&block); // one barrier of both: the order is nothing to it
        if odd {
            std::mem::swap(&mut a, &mut b);
        }
        a.set_own(0, 300);
        a.publish(&block);
        b.set_own(0, 4000);
        (&mut b, &mut a).publish(&block);
        // What `a` shows is two steps old, of the first; what `b` shows is new.
        a.iter().sum::<usize>() + b.iter().sum::<usize>()
    });
    assert_eq!(seen, [32 * 4001; 96]);
}

/// Threads that return or panic count as arrived; their slots hold some value.
#[test]
fn threads_that_end_early_leave_a_double_tile_to_the_others() {
    let y = Output::new(0usize, 16);
    let result = launch(1, 16, || {
        // SAFETY: the launch is one-dimensional; used in this thread.
        let i = unsafe { Index1D::from_launch() };
        let (mut tile, block) = (double::<0, 1, 16>(), block());
        tile.set_own(0, 1);
        if block.thread() == 3 {
            return;
        }
        let mut view = tile.publish(&block);
        view.set_own(0, view[3] + 1);
        if block.thread() == 4 {
            view.set_own(1, 0);
        }
        view.publish(&block);
        if let Some(y) = y.slice::<Linear>().get_mut(i) {
            *y = (0..16)
                .filter(|slot| *slot != 3)
                .map(|slot| view[slot])
                .sum();
        }
    });
    assert!(
        matches!(
            result,
            Err(Fault::Panic {
                thread: [4, 0, 0],
                count: 1,
                ..
            })
        ),
        "{result:?}"
    );
    let of = |at: usize| if at == 3 || at == 4 { 0 } else { 30 };
    assert_eq!(y.read(), Vec::from_iter((0..16).map(of)));
}

/// A destructor that publishes while its thread unwinds does not wait at the barrier: it writes and reads memory of its own.
#[test]
fn a_double_tile_of_a_panicking_thread_is_not_that_of_the_block() {
    /// What the destructor reads of a slot that another thread owns.
    static SEEN: AtomicUsize = AtomicUsize::new(4);
    struct Late<'k>(DoubleView<'k, usize, 8>);
    impl Drop for Late<'_> {
        fn drop(&mut self) {
            for _ in 0..2 {
                self.0.publish(&block());
                self.0.set_own(0, 77);
            }
            SEEN.store(self.0[4], Relaxed);
        }
    }
    let changes = AtomicUsize::new(0);
    let result = launch(1, 8, || {
        let (mut tile, block) = (double::<0, 1, 8>(), block());
        tile.set_own(0, block.thread());
        let view = tile.publish(&block);
        if block.thread() == 5 {
            let _late = Late(view);
            panic!("while it holds the view");
        }
        let before = black_box(&view)[5];
        block.sync(); // thread 5 unwinds meanwhile
        changes.fetch_add(usize::from(black_box(&view)[5] != before), Relaxed);
    });
    assert!(
        matches!(&result, Err(Fault::Panic { message, thread: [5, 0, 0], count: 1, .. }) if message == "while it holds the view"),
        "{result:?}"
    );
    assert_eq!(changes.into_inner(), 0);
    assert_ne!(SEEN.load(Relaxed), 4, "not what thread 4 wrote");
}

#[test]
fn a_double_tile_without_room_is_an_error_of_the_launch() {
    let result = launch(1, 2, || {
        shared_array!(u64, 2_000);
        let _tile = double::<0, 1, 2_500>();
    });
    assert!(
        matches!(
            &result,
            Err(Fault::SharedFull {
                fixed: 56_000,
                limit: 49_152,
                ..
            })
        ),
        "{result:?}"
    );
}
