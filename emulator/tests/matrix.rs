//! Products of matrices that the registers of a warp hold, through the public interface.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use warploom_emulator::intrinsics::{lane_id, multiply_add, shuffle_idx, thread_idx_x};
use warploom_emulator::matrix::{Fragment, Instruction, Kind, Shape as Sizes};
use warploom_emulator::{Fault, Shape, run};

/// PTX: `mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64`.
static PRODUCT: Instruction = Instruction {
    name: "mma_m8n8k4_f64",
    kind: Kind::Double,
    shape: Sizes { m: 8, n: 8, k: 4 },
    a: Fragment {
        elements: 1,
        bits: 64,
        coords: |lane, _| (lane / 4, lane % 4),
    },
    b: Fragment {
        elements: 1,
        bits: 64,
        coords: |lane, _| (lane % 4, lane / 4),
    },
    c: ACCUMULATOR,
    d: ACCUMULATOR,
};
const ACCUMULATOR: Fragment = Fragment {
    elements: 2,
    bits: 64,
    coords: |lane, i| (lane / 4, lane % 4 * 2 + i),
};

fn words<const N: usize, const WORDS: usize>(of: [f64; N]) -> [u32; WORDS] {
    std::array::from_fn(|word| (of[word / 2].to_bits() >> (word % 2 * 32)) as u32)
}

/// The product of A, whose elements are 10 · row + column, and B, all of whose rows are 1, 2, 3 …, plus `c` in all places.
fn product(c: f64) -> [f64; 2] {
    let (high, low) = (f64::from(lane_id() / 4), f64::from(lane_id() % 4));
    let (a, b): ([u32; 2], [u32; 2]) = (words([10.0 * high + low]), words([high + 1.0]));
    let (c, mut d): ([u32; 4], _) = (words([c; 2]), [0; 4]);
    // SAFETY: arrays of as many registers as the instruction says.
    unsafe {
        multiply_add(
            &PRODUCT,
            d.as_mut_ptr(),
            [a.as_ptr(), b.as_ptr(), c.as_ptr()],
        )
    };
    [0, 2].map(|i| f64::from_bits(u64::from(d[i]) | u64::from(d[i + 1]) << 32))
}

fn expected(lane: u32, i: u32) -> f64 {
    let (row, column) = (f64::from(lane / 4), f64::from(lane % 4 * 2 + i));
    (40.0 * row + 6.0) * (column + 1.0)
}

#[test]
fn every_warp_multiplies_the_matrices_of_its_lanes() {
    let out: Vec<_> = (0..128).map(|_| AtomicU64::new(0)).collect();
    run(Shape::new([1, 1, 1], [64, 1, 1]), &|| {
        let warp = f64::from(thread_idx_x() / 32);
        let first = product(warp);
        let second = product(1000.0 * warp);
        for i in 0..2 {
            let both = first[i] + second[i];
            out[thread_idx_x() as usize * 2 + i].store(both.to_bits(), Relaxed);
        }
    })
    .unwrap();
    for (at, value) in out.into_iter().enumerate() {
        let (thread, i) = (at as u32 / 2, at as u32 % 2);
        let c = f64::from(thread / 32) * 1001.0;
        assert_eq!(
            f64::from_bits(value.into_inner()),
            2.0 * expected(thread % 32, i) + c
        );
    }
}

#[test]
fn registers_of_a_lane_outlast_other_operations_of_the_warp() {
    run(Shape::new([1, 1, 1], [32, 1, 1]), &|| {
        let mut sum = [0.0; 2];
        for turn in 0..5 {
            let d = product(sum[0] * 0.0);
            let other = shuffle_idx(u32::MAX, d[0] as u32, turn, 31);
            assert_eq!(f64::from(other), expected(turn, 0));
            sum = [sum[0] + d[0], sum[1] + d[1]];
        }
        assert_eq!(sum, [0, 1].map(|i| 5.0 * expected(lane_id(), i)));
    })
    .unwrap();
}

#[test]
fn a_warp_of_less_than_32_threads_is_refused() {
    let fault = run(Shape::new([1, 1, 1], [40, 1, 1]), &|| {
        product(0.0);
    })
    .unwrap_err();
    let Fault::Panic {
        message, thread, ..
    } = &fault
    else {
        unreachable!("{fault}");
    };
    assert_eq!(*thread, [32, 0, 0]);
    assert!(message.contains("a warp of 8 threads"), "{message}");
}
