//! Shared memory, atomics, and runs from several host threads.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "the body of a kernel is one sequence of intrinsics with one reason"
)]

use std::any::TypeId;
use std::thread;

use warploom_emulator::intrinsics::*;
use warploom_emulator::{Shape, SharedKey, run};

struct Tile;
struct Other;
static TILE: SharedKey = SharedKey::new(TypeId::of::<Tile>(), "u32");
static OTHER: SharedKey = SharedKey::new(TypeId::of::<Other>(), "u32");

/// The tile of 83 words of this block.
fn tile(key: &'static SharedKey) -> *mut u32 {
    // SAFETY: the tests use the pointer inside the kernel only.
    unsafe { shared_static(key, 83 * 4, 4) }.cast()
}

struct Pointer<T>(*mut T);
// SAFETY: the tests access what it points to atomically, or each thread its own element.
unsafe impl<T> Sync for Pointer<T> {}

impl<T> Pointer<T> {
    fn get(&self) -> *mut T {
        self.0
    }
}

#[test]
fn static_shared_memory_belongs_to_its_block() {
    for workers in [1, 3] {
        let shape = Shape {
            workers: Some(workers),
            ..Shape::new([7, 1, 1], [83, 1, 1])
        };
        run(shape, &|| {
            let (me, block) = (thread_idx_x() as usize, block_idx_x());
            let tile = tile(&TILE);
            // SAFETY: each thread writes its own word; the barrier comes between the writes and the reads of others.
            unsafe {
                assert_eq!(*tile.add(me), 0xa5a5_a5a5, "fresh in each block");
                *tile.add(me) = block * 1000 + me as u32;
                block_barrier();
                assert_eq!(*tile.add(82 - me), block * 1000 + 82 - me as u32);
            }
        })
        .unwrap();
    }
}

#[test]
fn keys_sizes_and_alignments_tell_allocations_apart() {
    run(Shape::new([2, 1, 1], [40, 1, 1]), &|| {
        // SAFETY: the pointers are only compared.
        let starts = unsafe {
            [
                shared_static(&TILE, 12, 4),
                shared_static(&OTHER, 12, 4),
                shared_static(&TILE, 16, 4),
                shared_static(&TILE, 12, 64),
            ]
        };
        block_barrier();
        // SAFETY: as above.
        let again = unsafe { shared_static(&TILE, 12, 4) };
        assert_eq!(again, starts[0]);
        assert_eq!(starts[3].align_offset(64), 0);
        let mut sorted = starts;
        sorted.sort_unstable();
        assert!(
            sorted
                .windows(2)
                .all(|pair| pair[1] as usize - pair[0] as usize >= 12)
        );
    })
    .unwrap();
}

#[test]
fn a_key_may_depend_on_a_type_parameter() {
    fn start<T: 'static>() -> *mut u8 {
        // SAFETY: the pointer is only compared.
        unsafe { shared_static(const { &SharedKey::new(TypeId::of::<T>(), "T") }, 8, 8) }
    }
    run(Shape::new([1, 1, 1], [2, 1, 1]), &|| {
        assert_eq!(start::<Tile>(), start::<Tile>());
        assert_ne!(start::<Tile>(), start::<Other>());
    })
    .unwrap();
}

#[test]
fn dynamic_shared_memory_is_aligned_poisoned_and_apart_from_static() {
    let shape = Shape {
        dynamic_shared_bytes: 83 * 4,
        ..Shape::new([5, 1, 1], [83, 1, 1])
    };
    run(shape, &|| {
        let me = thread_idx_x() as usize;
        let tile = tile(&TILE);
        // SAFETY: each thread writes its own words; barriers come between the writes and the reads of others.
        unsafe {
            let dynamic = dynamic_shared();
            assert_eq!(
                (dynamic.align_offset(128), dynamic_shared_bytes()),
                (0, 83 * 4)
            );
            let dynamic: *mut u32 = dynamic.cast();
            assert_eq!(*dynamic.add(me), 0xa5a5_a5a5);
            *dynamic.add(me) = me as u32;
            *tile.add(me) = 500 + me as u32;
            block_barrier();
            assert_eq!(
                (*dynamic.add(82 - me), *tile.add(82 - me)),
                (82 - me as u32, 582 - me as u32)
            );
        }
    })
    .unwrap();
}

#[test]
fn all_the_shared_memory_of_a_device_can_be_used() {
    let shape = Shape {
        dynamic_shared_bytes: 227 * 1024,
        ..Shape::new([2, 1, 1], [1, 1, 1])
    };
    run(shape, &|| {
        // SAFETY: one thread, inside the bytes asked for.
        unsafe { dynamic_shared().add(227 * 1024 - 1).write(1) };
    })
    .unwrap();
}

#[test]
fn a_block_sum_through_shared_memory() {
    let mut sums = [0_u32; 6];
    let out = Pointer(sums.as_mut_ptr());
    run(Shape::new([6, 1, 1], [83, 1, 1]), &|| {
        let me = thread_idx_x() as usize;
        let tile = tile(&TILE);
        // SAFETY: each round's reads and writes are of different words, and a barrier separates rounds; `out` has one word a block.
        unsafe {
            *tile.add(me) = block_idx_x() + me as u32;
            let mut half = 64;
            while half > 0 {
                block_barrier();
                if me < half && me + half < 83 {
                    *tile.add(me) += *tile.add(me + half);
                }
                half /= 2;
            }
            if me == 0 {
                *out.get().add(block_idx_x() as usize) = *tile;
            }
        }
    })
    .unwrap();
    assert_eq!(
        sums,
        [0, 1, 2, 3, 4, 5].map(|block| 83 * block + (0..83).sum::<u32>())
    );
}

#[test]
fn atomics_add_across_blocks() {
    let (mut a, mut b, mut c, mut d, mut e) = (0_u32, 0_i32, 0_u64, 0_f32, 0_f64);
    let (pa, pb, pc, pd, pe) = (
        Pointer(&raw mut a),
        Pointer(&raw mut b),
        Pointer(&raw mut c),
        Pointer(&raw mut d),
        Pointer(&raw mut e),
    );
    let shape = Shape {
        workers: Some(4),
        ..Shape::new([100, 1, 1], [83, 1, 1])
    };
    run(shape, &|| {
        // SAFETY: all threads access these atomically.
        unsafe {
            atomic_add_u32(pa.get(), 3);
            atomic_add_i32(pb.get(), -2);
            atomic_add_u64(pc.get(), 1 << 40);
            atomic_add_f32(pd.get(), 0.5);
            let before = atomic_add_f64(pe.get(), 0.25);
            assert_eq!(before % 0.25, 0.0);
        }
        fence_block();
        fence_device();
        fence_system();
    })
    .unwrap();
    assert_eq!((a, b, c), (24900, -16600, 8300 << 40));
    assert_eq!((d, e), (4150.0, 2075.0));
}

#[test]
fn several_host_threads_run_at_once() {
    thread::scope(|scope| {
        for host in 0..6_u32 {
            scope.spawn(move || {
                for round in 0..20 {
                    let mut sum = 0_u32;
                    let out = Pointer(&raw mut sum);
                    run(Shape::new([4, 1, 1], [96, 1, 1]), &|| {
                        let tile = tile(&TILE);
                        if thread_idx_x() == 0 {
                            // SAFETY: one thread writes, the others read after the barrier.
                            unsafe { *tile = host * 100 + round };
                        }
                        block_barrier();
                        // SAFETY: as above; `sum` is accessed atomically.
                        unsafe { atomic_add_u32(out.get(), *tile) };
                    })
                    .unwrap();
                    assert_eq!(sum, 4 * 96 * (host * 100 + round));
                }
            });
        }
    });
}

#[test]
fn all_lanes_of_a_block_run_on_one_os_thread() {
    run(
        Shape {
            workers: Some(4),
            ..Shape::new([40, 1, 1], [64, 1, 1])
        },
        &|| {
            let before = thread::current().id();
            block_barrier();
            assert_eq!(thread::current().id(), before);
        },
    )
    .unwrap();
}

#[test]
fn a_block_may_wait_for_an_earlier_one() {
    // Decoupled look-back: block n spins until block n - 1 has written. Workers take blocks in order, so this ends on any number of
    // them, also where they take several at a time.
    for (blocks, workers) in [(50, 1), (50, 2), (50, 8), (1200, 2), (1200, 3)] {
        let mut done = 0_u32;
        let out = Pointer(&raw mut done);
        run(
            Shape {
                workers: Some(workers),
                ..Shape::new([blocks, 1, 1], [33, 1, 1])
            },
            &|| {
                block_barrier();
                if thread_idx_x() == 0 {
                    // SAFETY: accessed atomically.
                    while unsafe { atomic_add_u32(out.get(), 0) } != block_idx_x() {
                        thread::yield_now();
                    }
                    // SAFETY: as above.
                    unsafe { atomic_add_u32(out.get(), 1) };
                }
            },
        )
        .unwrap();
        assert_eq!(done, blocks);
    }
}

//@ rows: GEM-3
#[test]
fn the_largest_block_with_deep_frames() {
    #[inline(never)]
    fn deep(depth: u32) -> u32 {
        let frame = std::hint::black_box([depth; 100]);
        if depth == 0 {
            block_barrier();
            return 0;
        }
        deep(depth - 1) + frame[50] - (depth - 1)
    }
    run(Shape::new([2, 1, 1], [1024, 1, 1]), &|| {
        assert_eq!(deep(50), 50)
    })
    .unwrap();
}

//@ rows: GEM-3, GEM-4
#[test]
fn each_of_1024_threads_has_a_large_local_array() {
    // All at the same time, behind a barrier. 256 KiB are the stack's; a debug build's frames and the start of the stack take the rest.
    const WORDS: usize = 200 * 1024 / 4;
    #[inline(never)]
    fn fill(seed: u32) -> u64 {
        let mut local = [seed; WORDS];
        local[WORDS - 1] = 1;
        block_barrier();
        let local = std::hint::black_box(&local);
        local.iter().map(|word| u64::from(*word)).sum()
    }
    run(Shape::new([1, 1, 1], [1024, 1, 1]), &|| {
        let seed = thread_idx_x();
        assert_eq!(fill(seed), u64::from(seed) * (WORDS as u64 - 1) + 1);
    })
    .unwrap();
}
