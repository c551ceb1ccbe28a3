//! Attempts to make two threads meet in one element. Each must fail, or end in something harmless. docs/safety.md
//! names these tests; what must not even compile stands as `compile_fail` beside the types.
mod launch;
use std::cell::RefCell;
use std::future::poll_fn;
use std::hint::black_box;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::task::{Context, Poll, Waker};

use launch::{Output, each_thread, launch};
use warploom_device_std::*;
use warploom_emulator::Fault;

enum Site {}

impl shared::TileName for Site {
    const NAME: &'static str = "tile";
    const TILES: u32 = 2;
}

fn block<'k>() -> Block<'k> {
    // SAFETY: used in the thread that makes it.
    unsafe { Block::from_launch() }
}

fn tile<'k, const ORDINAL: u32, const N: usize>() -> SharedTile<'k, usize, N> {
    // SAFETY: each test makes each ordinal once in each thread, and no test uses barriers 1 to 3 otherwise.
    unsafe { SharedTile::from_launch::<ORDINAL, Site>() }
}

/// cuda-oxide #318: a 2-D launch of a kernel with a flat index.
#[test]
fn a_flat_index_refuses_a_launch_with_rows() {
    for (grid, size) in [((2, 1), (8, 2)), ((2, 2), (8, 1))] {
        let result = launch(grid, size, || {
            // SAFETY: violated on purpose: the launch has rows.
            let i = unsafe { Index1D::from_launch() };
            assert_eq!(i.get(), usize::MAX, "never reached");
        });
        assert!(
            matches!(&result, Err(Fault::Panic { message, .. }) if message.contains("not one-dimensional")),
            "{result:?}"
        );
    }
}

/// cuda-oxide #653: flat indices of two widths. Here the width belongs to the matrix; the index has none.
#[test]
fn a_matrix_index_has_no_width_of_its_own() {
    let (narrow, wide) = (Output::new(0u32, 6 * 6), Output::new(0u32, 12 * 3));
    let result = launch((3, 3), (4, 2), || {
        // SAFETY: the launch is two-dimensional; used in the thread that makes it.
        let i = unsafe { Index2D::from_launch() };
        if let Some(m) = narrow.matrix::<Linear>(6).get_mut(i) {
            *m += 1;
        }
        if let Some(m) = wide.matrix::<Linear>(12).get_mut(i) {
            *m += 1;
        }
    });
    assert_eq!(
        (result, narrow.read(), wide.read()),
        (Ok(()), vec![1; 36], vec![1; 36])
    );
}

/// cuda-oxide #151, #242: atomics behind a slice that the compiler takes for constant.
#[test]
fn slices_of_atomics_are_not_read_only() {
    use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicU64};
    use warploom_device_std::kernel::DeviceParam;
    let readonly = [
        DeviceParam::slice::<AtomicU32>(),
        DeviceParam::slice::<AtomicI32>(),
        DeviceParam::slice::<AtomicU64>(),
        DeviceParam::slice::<AtomicI64>(),
        DeviceParam::slice::<AtomicF32>(),
        DeviceParam::slice::<AtomicF64>(),
    ]
    .map(|param| param.readonly);
    assert_eq!(readonly, [0; 6]);
    assert_eq!(
        DeviceParam::slice::<u64>(),
        DeviceParam {
            kind: 1,
            readonly: 1,
            size: 8,
            align: 8,
            layout: 0,
        }
    );
    assert_eq!(
        DeviceParam::slice_mut::<[f32; 4]>(),
        DeviceParam {
            kind: 2,
            readonly: 0,
            size: 16,
            align: 4,
            layout: 0,
        }
    );
}

/// cuda-oxide #623: a pointer into shared memory that takes `&mut` of what all threads have.
#[test]
fn pointers_to_shared_memory_take_no_exclusive_reference() {
    let seen = each_thread(2, 32, |_| {
        let array = shared_array!(usize, 32);
        let (a, b) = (array.as_ptr(), array.as_ptr());
        let t = block().thread();
        // SAFETY: within the array.
        let (own, other) = (unsafe { a.add(t) }, unsafe { b.add(31 - t) });
        // SAFETY: own element before the barrier, any after it.
        unsafe { own.write(t) };
        block().sync();
        // SAFETY: no thread writes after the barrier.
        unsafe { other.read() }
    });
    assert!(
        seen.iter()
            .enumerate()
            .all(|(at, value)| *value == 31 - at % 32)
    );
}

/// One thread publishes where the others reclaim: they must not release each other.
#[test]
fn a_mismatched_barrier_hangs_and_never_releases() {
    let result = launch(1, 8, || {
        let (mut tile, block) = (tile::<0, 8>(), block());
        tile.set_own(0, 7);
        let view = tile.publish(&block);
        if block.thread() == 3 {
            sync_threads(); // the others wait at the tile's second barrier
        }
        drop(view.reclaim(&block));
    });
    assert!(matches!(result, Err(Fault::Deadlock { .. })), "{result:?}");
}

/// Two tiles published in two orders: without ids of their own, each would release the other too early.
#[test]
fn tiles_published_in_two_orders_hang_and_never_release() {
    let result = launch(1, 8, || {
        let (mut a, mut b, block) = (tile::<0, 8>(), tile::<1, 8>(), block());
        a.set_own(0, 1);
        if block.thread() == 0 {
            let b = b.publish(&block);
            a.set_own(0, b[1]);
            assert_eq!((a.publish(&block).len(), b.len()), (8, 8));
        } else {
            let a = a.publish(&block);
            b.set_own(0, a[0]);
            assert_eq!((b.publish(&block).len(), a.len()), (8, 8));
        }
    });
    assert!(matches!(result, Err(Fault::Deadlock { .. })), "{result:?}");
}

/// Exchanged handles carry their barriers along.
#[test]
fn exchanging_two_tiles_changes_nothing() {
    let seen = each_thread(3, 32, |_| {
        let (mut a, mut b, block) = (tile::<0, 32>(), tile::<1, 32>(), block());
        if block.thread() % 2 == 1 {
            std::mem::swap(&mut a, &mut b);
        }
        a.set_own(0, 10);
        b.set_own(0, 20);
        if block.thread() % 2 == 1 {
            std::mem::swap(&mut a, &mut b);
        }
        let (a, b) = (a.publish(&block), b.publish(&block));
        a.iter().sum::<usize>() * 1000 + b.iter().sum::<usize>()
    });
    assert_eq!(seen, [(16 * 10 + 16 * 20) * 1000 + 16 * 20 + 16 * 10; 96]);
}

/// A tile that is given up between two barriers blocks the others, it does not release them.
#[test]
fn a_dropped_tile_hangs_and_never_releases() {
    let result = launch(1, 8, || {
        let (tile, block) = (tile::<0, 8>(), block());
        if block.thread() == 5 {
            drop(tile); // without publishing; there is no destructor that could be skipped
            block.sync();
            return;
        }
        assert_eq!(tile.publish(&block).len(), 8);
        block.sync();
    });
    assert!(matches!(result, Err(Fault::Deadlock { .. })), "{result:?}");
}

/// Threads that return or panic while they own slots count as arrived; their slots hold some value.
#[test]
fn threads_that_end_early_count_as_arrived() {
    let y = Output::new(0usize, 16);
    let result = launch(1, 16, || {
        // SAFETY: the launch is one-dimensional; used in this thread.
        let i = unsafe { Index1D::from_launch() };
        let (mut tile, block) = (tile::<0, 16>(), block());
        tile.set_own(0, 1);
        match block.thread() {
            3 => return,
            4 => tile.set_own(1, 0),
            _ => {}
        }
        let view = tile.publish(&block);
        if let Some(y) = y.slice::<Linear>().get_mut(i) {
            *y = view.iter().sum();
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
    assert!(
        y.read()
            .iter()
            .enumerate()
            .all(|(at, sum)| *sum == if at == 3 || at == 4 { 0 } else { 16 })
    );
}

/// A source that ends while copies of it are under way: they must not read what lies in its place by then.
#[test]
fn copies_under_way_outlive_their_source() {
    let seen = Output::new(0u32, 8);
    let result = launch(1, 8, || {
        let block = block();
        let memory = shared_array!([u32; 8], 2);
        {
            let source = vec![7u32; 8];
            let mut tiles = AsyncTiles::new(memory);
            tiles.copy(&block, &source);
            tiles.copy(&block, &source);
        }
        let other = vec![9u32; 8]; // where the source was
        let mut tiles = AsyncTiles::new(memory);
        for _ in 0..2 {
            tiles.copy(&block, &[]);
        }
        for _ in 0..2 {
            if let Some(stage) = tiles.wait(&block) {
                // SAFETY: the launch is one-dimensional; used in the thread that makes it.
                let i = unsafe { Index1D::from_launch() };
                if let Some(seen) = seen.slice::<Linear>().get_mut(i) {
                    *seen = stage.get(block.thread());
                }
                stage.release(&block);
            }
        }
        drop(other);
    });
    assert_eq!((result, seen.read()), (Ok(()), vec![7; 8]));
}

/// A destructor that reclaims a tile while its thread unwinds does not wait at the barrier, where others still read.
#[test]
fn a_tile_that_is_reclaimed_by_a_panicking_thread_is_not_that_of_the_block() {
    /// What the destructor reads of a slot that another thread owns.
    static SEEN: AtomicUsize = AtomicUsize::new(0);
    struct Late<'k>(Option<TileView<'k, usize, 8>>);
    impl Drop for Late<'_> {
        fn drop(&mut self) {
            if let Some(view) = self.0.take() {
                let mut tile = view.reclaim(&block());
                tile.set_own(0, 77);
                let view = tile.publish(&block());
                SEEN.store(view[4], Relaxed);
            }
        }
    }
    let changes = AtomicUsize::new(0);
    let result = launch(1, 8, || {
        let (mut tile, block) = (tile::<0, 8>(), block());
        tile.set_own(0, block.thread());
        let view = tile.publish(&block);
        if block.thread() == 5 {
            let _late = Late(Some(view));
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
    assert_ne!(SEEN.load(Relaxed), 4, "not read before its owner publishes");
}

/// The state of asynchronous code may be kept, and go on when the block and its shared memory are over.
#[test]
fn shared_memory_is_not_kept_in_the_state_of_asynchronous_code() {
    type Kept = Pin<Box<dyn Future<Output = ()>>>;
    thread_local! { static KEPT: RefCell<Option<Kept>> = const { RefCell::new(None) } }

    /// Not ready when it is polled first.
    async fn later() {
        let mut is_first = true;
        poll_fn(|_| match std::mem::take(&mut is_first) {
            true => Poll::Pending,
            false => Poll::Ready(()),
        })
        .await;
    }
    async fn counts_later() {
        let array = shared_array!(u32, 64);
        later().await;
        store(array);
    }
    /// Gives the array the frame of another one, which is on the thread's stack.
    fn store(old: SharedArray<'_, u32, 64>) {
        let new = shared_array!(u32, 64);
        let mixed = SharedArray {
            scope: new.scope,
            raw: old.raw,
        };
        mixed.atomic(3).store(0xdead, Relaxed);
    }
    async fn counts() {
        let array = shared_array!(u32, 64);
        let own = array.atomic(3);
        later().await;
        own.store(0xdead, Relaxed);
    }
    fn poll(kept: &mut Kept) -> Poll<()> {
        kept.as_mut().poll(&mut Context::from_waker(Waker::noop()))
    }

    let result = launch(1, 1, || {
        let mut kept: Kept = Box::pin(counts());
        assert!(poll(&mut kept).is_pending());
        KEPT.set(Some(kept));
    });
    assert!(
        matches!(&result, Err(Fault::Panic { message, .. }) if message.contains("asynchronous code")),
        "{result:?}"
    );
    assert!(
        KEPT.take().is_none(),
        "nothing to go on with after the block"
    );

    // The parts of an array of another block, in the frame of one of this block.
    let result = launch(1, 1, || {
        let mut kept: Kept = Box::pin(counts_later());
        assert!(poll(&mut kept).is_pending());
        KEPT.set(Some(kept));
    });
    assert_eq!(result, Ok(()));
    let result = launch(1, 1, || {
        let kept = KEPT.take();
        let _ = poll(&mut kept.expect("the launch before ran on this OS thread"));
    });
    assert!(
        matches!(&result, Err(Fault::Panic { message, .. }) if message.contains("parts of two")),
        "{result:?}"
    );

    // On the thread's own stack the state ends with the frame.
    let result = launch(2, 32, || {
        let mut counts = pin!(counts());
        let mut context = Context::from_waker(Waker::noop());
        assert!(counts.as_mut().poll(&mut context).is_pending());
        assert!(counts.as_mut().poll(&mut context).is_ready());
    });
    assert_eq!(result, Ok(()));
}
