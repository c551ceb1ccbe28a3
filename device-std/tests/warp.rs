//! Shuffles, votes and reductions, in whole and ragged warps, of every width.
mod launch;
use launch::{each_thread, launch};
use warploom_device_std::warp::{Reduce, Shuffle};
use warploom_device_std::*;

fn warp<'k>() -> Warp<'k> {
    // SAFETY: used in the thread that makes it.
    unsafe { Warp::from_launch() }
}

/// Three blocks of two whole warps: each shuffle against the same exchange in plain Rust.
fn shuffles_move<T: Shuffle + Default + PartialEq + std::fmt::Debug>(
    value: impl Fn(usize) -> T + Sync,
) {
    let check = |name: &str, seen: Vec<T>, source: &dyn Fn(usize) -> usize| {
        for (at, seen) in seen.iter().enumerate() {
            let from = at / 32 * 32 + source(at % 32);
            assert_eq!(
                *seen,
                value(from),
                "{name} of {} in thread {at}",
                std::any::type_name::<T>()
            );
        }
    };
    for delta in [0u32, 1, 5, 16, 31] {
        let d = delta as usize;
        check(
            "down",
            each_thread(3, 64, |at| warp().shuffle_down(value(at), delta)),
            &|l| if l + d < 32 { l + d } else { l },
        );
        check(
            "up",
            each_thread(3, 64, |at| warp().shuffle_up(value(at), delta)),
            &|l| if l >= d { l - d } else { l },
        );
        check(
            "xor",
            each_thread(3, 64, |at| warp().shuffle_xor(value(at), delta)),
            &|l| l ^ d,
        );
        check(
            "idx",
            each_thread(3, 64, |at| warp().shuffle_idx(value(at), delta)),
            &|_| d,
        );
        check(
            "idx",
            each_thread(3, 64, |at| {
                warp().shuffle_idx(value(at), lane() * 3 + delta)
            }),
            &|l| (l * 3 + d) % 32,
        );
    }
}

/// A number whose bytes all depend on the thread.
fn spread(at: usize) -> u64 {
    (at as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[test]
fn shuffles_move_every_type() {
    shuffles_move(|at| spread(at) as u8);
    shuffles_move(|at| spread(at) as i8);
    shuffles_move(|at| spread(at) as u16);
    shuffles_move(|at| spread(at) as i16);
    shuffles_move(|at| spread(at) as u32);
    shuffles_move(|at| spread(at) as i32);
    shuffles_move(spread);
    shuffles_move(|at| spread(at) as i64);
    shuffles_move(|at| spread(at) as usize);
    shuffles_move(|at| spread(at) as isize);
    shuffles_move(|at| (spread(at) >> 8) as f32 * -0.37);
    shuffles_move(|at| spread(at) as f64 * -1e-3);
}

#[test]
fn votes_agree_over_a_warp() {
    let seen = each_thread(3, 96, |at| warp().ballot(at.is_multiple_of(3)).bits());
    let expected = |at: usize| {
        (0..32)
            .filter(|l| (at / 32 * 32 + l).is_multiple_of(3))
            .fold(0, |mask, l| mask | 1u32 << l)
    };
    assert!(
        seen.iter()
            .enumerate()
            .all(|(at, mask)| *mask == expected(at))
    );

    let any = each_thread(3, 96, |at| u32::from(warp().any(at % 96 == 49)));
    assert!(
        any.iter()
            .enumerate()
            .all(|(at, any)| *any == u32::from(at % 96 / 32 == 1))
    );
    let all = each_thread(3, 96, |at| u32::from(warp().all(at % 96 != 49)));
    assert!(
        all.iter()
            .enumerate()
            .all(|(at, all)| *all == u32::from(at % 96 / 32 != 1))
    );
}

#[test]
fn a_ragged_warp_votes_with_the_lanes_it_has() {
    assert_eq!(each_thread(2, 40, |_| warp().ballot(true).bits())[39], 0xFF);
    assert_eq!(
        each_thread(2, 40, |at| u32::from(warp().all(at % 40 >= 32)))[39],
        1
    );
}

/// Whole, ragged and odd warps: each lane gets the same, and it is what plain Rust finds.
fn reduces<T: Reduce + Default + PartialEq + std::fmt::Debug>(
    value: impl Fn(usize) -> T + Sync,
    sum: impl Fn(T, T) -> T,
    least: impl Fn(T, T) -> T,
    greatest: impl Fn(T, T) -> T,
) {
    for block in [1u32, 31, 32, 64, 75] {
        let found = [
            each_thread(3, block, |at| warp().reduce_sum(value(at))),
            each_thread(3, block, |at| warp().reduce_min(value(at))),
            each_thread(3, block, |at| warp().reduce_max(value(at))),
        ];
        let expect = |at: usize, op: &dyn Fn(T, T) -> T| {
            let (start, block) = (at / block as usize * block as usize, block as usize);
            let first = start + (at - start) / 32 * 32;
            (first..(first + 32).min(start + block))
                .map(&value)
                .reduce(op)
        };
        for at in 0..3 * block as usize {
            let expected = [expect(at, &sum), expect(at, &least), expect(at, &greatest)];
            let found = [0, 1, 2].map(|op: usize| Some(found[op][at]));
            assert_eq!(found, expected, "thread {at} of blocks of {block}");
        }
    }
}

#[test]
fn reductions_cover_the_lanes_that_are_there() {
    reduces(|at| spread(at) as u8, u8::wrapping_add, u8::min, u8::max);
    reduces(
        |at| spread(at) as i32,
        i32::wrapping_add,
        i32::min,
        i32::max,
    );
    reduces(spread, u64::wrapping_add, u64::min, u64::max);
    reduces(
        |at| spread(at) as i64,
        i64::wrapping_add,
        i64::min,
        i64::max,
    );
    // Small whole numbers: every order of adding gives the same float.
    reduces(
        |at| (at % 17) as f32 - 8.0,
        |a, b| a + b,
        f32::min,
        f32::max,
    );
    reduces(
        |at| (at % 17) as f64 - 8.0,
        |a, b| a + b,
        f64::min,
        f64::max,
    );
}

#[test]
fn reductions_skip_lanes_that_returned() {
    let seen = each_thread(2, 64, |at| {
        if at.is_multiple_of(3) {
            0
        } else {
            warp().reduce_sum(at as u32)
        }
    });
    for (at, sum) in seen
        .iter()
        .enumerate()
        .filter(|(at, _)| !at.is_multiple_of(3))
    {
        let first = at / 32 * 32;
        // The emulator counts a lane that ends its body as returned: the third of the lanes that took the other branch.
        assert_eq!(
            *sum as usize,
            (first..first + 32)
                .filter(|at| !at.is_multiple_of(3))
                .sum::<usize>()
        );
    }
}

#[test]
fn float_sums_have_the_same_bits_in_each_lane() {
    let seen = each_thread(2, 32, |at| warp().reduce_sum(1.0 / (at as f32 + 1.0)));
    assert!(
        seen[..32]
            .iter()
            .all(|sum| sum.to_bits() == seen[0].to_bits())
    );
}

#[test]
fn masks_name_the_lanes_that_take_part() {
    let seen = each_thread(3, 64, |at| {
        let (low, mask) = (lane() < 16, if lane() < 16 { 0xFFFF } else { 0xFFFF_0000 });
        let warp = warp();
        // SAFETY: the mask names the half of the warp that goes this way, the caller's included; both halves make the same calls.
        unsafe { warp.sync_mask(mask) };
        // SAFETY: as above.
        let other = unsafe { warp.shuffle_xor_mask(mask, at as u32, 1) };
        // SAFETY: as above.
        let one = unsafe { warp.shuffle_down_mask(mask, 1u32, 0) };
        // SAFETY: as above.
        let sum = unsafe { warp.shuffle_idx_mask(mask, other + one, if low { 3 } else { 19 }) };
        // SAFETY: as above.
        let zero = unsafe { warp.shuffle_up_mask(mask, 0u32, 1) };
        // SAFETY: as above.
        let any = unsafe { warp.any_mask(mask, low) };
        // SAFETY: as above.
        let all = unsafe { warp.all_mask(mask, low) };
        // SAFETY: as above.
        let ballot = unsafe { warp.ballot_mask(mask, true) };
        if any == low && all == low && ballot.bits() == mask {
            sum + zero
        } else {
            u32::MAX
        }
    });
    let expected = |at: usize| (at / 32 * 32 + if at % 32 < 16 { 2 } else { 18 } + 1) as u32;
    assert!(
        seen.iter()
            .enumerate()
            .all(|(at, value)| *value == expected(at)),
        "{seen:?}"
    );
}

//@ rows: GFN-1
#[test]
fn a_warp_operation_outside_a_kernel_says_so() {
    let panicked = std::panic::catch_unwind(|| warp().lane());
    assert!(panicked.is_err());
    assert_eq!(launch(1, 1, || assert_eq!(warp().lane(), 0)), Ok(()));
}
