//! All shuffles against a model that is written from CUDA's description, not from PTX's operand c.
use warploom_emulator::intrinsics::*;
use warploom_emulator::{Shape, run};

#[derive(Debug, Clone, Copy)]
enum Mode {
    Idx,
    Up,
    Down,
    Xor,
}

/// The lane that `lane` reads, by the CUDA C++ Programming Guide: the warp is cut into sections of `width`, each behaves as a warp
/// of its own, `up` and `down` do not wrap around, `idx` wraps (modulo width), `xor` may read earlier sections only.
fn model(mode: Mode, width: i32, lane: i32, operand: i32) -> i32 {
    let section = lane / width;
    let within = lane % width;
    match mode {
        Mode::Idx => section * width + operand % width,
        Mode::Up if within - operand < 0 => lane,
        Mode::Up => lane - operand,
        Mode::Down if within + operand >= width => lane,
        Mode::Down => lane + operand,
        Mode::Xor => {
            let source = lane ^ operand;
            if source / width > section {
                lane
            } else {
                source
            }
        }
    }
}

/// Operand c as CUDA's headers build it.
fn clamp(mode: Mode, width: u32) -> u32 {
    let last = if matches!(mode, Mode::Up) { 0 } else { 31 };
    (32 - width) << 8 | last
}

//@ rows: WEM-shuffle
#[test]
fn all_modes_widths_lanes_and_operands() {
    for mode in [Mode::Idx, Mode::Up, Mode::Down, Mode::Xor] {
        for width in [1, 2, 4, 8, 16, 32] {
            for operand in 0..32 {
                run(Shape::new([1, 1, 1], [64, 1, 1]), &|| {
                    let (lane, value) = (lane_id(), 1000 + thread_idx_x());
                    let shuffle = match mode {
                        Mode::Idx => shuffle_idx,
                        Mode::Up => shuffle_up,
                        Mode::Down => shuffle_down,
                        Mode::Xor => shuffle_bfly,
                    };
                    let got = shuffle(u32::MAX, value, operand, clamp(mode, width));
                    let source = model(mode, width as i32, lane as i32, operand as i32) as u32;
                    let expected = value - lane + source;
                    assert_eq!(
                        got, expected,
                        "{mode:?} width {width} lane {lane} operand {operand}"
                    );
                })
                .unwrap();
            }
        }
    }
}

/// `shfl.sync` as the PTX manual writes it, for operands that CUDA's headers never build.
fn ptx(mode: Mode, lane: i32, b: i32, c: i32) -> i32 {
    let (bval, cval, segmask) = (b & 0x1f, c & 0x1f, (c >> 8) & 0x1f);
    let max_lane = (lane & segmask) | (cval & !segmask);
    let min_lane = lane & segmask;
    let (j, p) = match mode {
        Mode::Up => (lane - bval, lane - bval >= max_lane),
        Mode::Down => (lane + bval, lane + bval <= max_lane),
        Mode::Xor => (lane ^ bval, lane ^ bval <= max_lane),
        Mode::Idx => {
            let j = min_lane | (bval & !segmask);
            (j, j <= max_lane)
        }
    };
    if p { j } else { lane }
}

//@ rows: WEM-shuffle
#[test]
fn every_operand_c() {
    for mode in [Mode::Idx, Mode::Up, Mode::Down, Mode::Xor] {
        run(Shape::new([32, 1, 1], [32, 1, 1]), &|| {
            let (lane, segment) = (lane_id(), block_idx_x());
            for last in 0..32 {
                for b in 0..40 {
                    let c = segment << 8 | last;
                    let got = match mode {
                        Mode::Idx => shuffle_idx(u32::MAX, lane, b, c),
                        Mode::Up => shuffle_up(u32::MAX, lane, b, c),
                        Mode::Down => shuffle_down(u32::MAX, lane, b, c),
                        Mode::Xor => shuffle_bfly(u32::MAX, lane, b, c),
                    };
                    let expected = ptx(mode, lane as i32, b as i32, c as i32) as u32;
                    assert_eq!(got, expected, "{mode:?} lane {lane} b {b} c {c:#x}");
                }
            }
        })
        .unwrap();
    }
}

#[test]
fn lanes_may_differ_in_their_operands() {
    run(Shape::new([1, 1, 1], [32, 1, 1]), &|| {
        let lane = lane_id();
        let got = shuffle_idx(u32::MAX, lane * 10, 31 - lane, 31);
        assert_eq!(got, (31 - lane) * 10);
    })
    .unwrap();
}

//@ rows: WEM-source
#[test]
fn a_lane_without_value_leaves_the_own_one() {
    // Lane 5 has returned, lanes from 16 on are not in the mask.
    run(Shape::new([2, 1, 1], [32, 1, 1]), &|| {
        let lane = lane_id();
        if lane == 5 || lane >= 16 {
            return;
        }
        let got = shuffle_down(0xffff, lane, 1, 31);
        let expected = if lane == 4 || lane == 15 {
            lane
        } else {
            lane + 1
        };
        assert_eq!(got, expected);
    })
    .unwrap();
}

#[test]
fn a_sum_by_shuffles_in_a_ragged_warp() {
    run(Shape::new([3, 1, 1], [83, 1, 1]), &|| {
        let mut sum = thread_idx_x();
        for delta in [16, 8, 4, 2, 1] {
            let other = shuffle_down(u32::MAX, sum, delta, 31);
            if lane_id() + delta < 32.min(83 - thread_idx_x() / 32 * 32) {
                sum += other;
            }
        }
        let first = thread_idx_x() / 32 * 32;
        if lane_id() == 0 {
            assert_eq!(sum, (first..(first + 32).min(83)).sum::<u32>());
        }
    })
    .unwrap();
}
