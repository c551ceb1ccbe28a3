//! Shuffles: all modes, widths, operands and masks.

use warploom::device_std::Width;
use warploom::prelude::*;
use warploom_harness::device_test::check;

use crate::model::{MASKS, MODES, Mode, WIDTHS, lanes, source};

/// Operands: all that a lane number can be, some beyond, and negative ones.
const OPERANDS: u32 = 72;

fn operand(k: u32) -> u32 {
    if k < 64 { k } else { (k - 64).wrapping_sub(8) }
}

fn width_of(lanes: u32) -> Width {
    match lanes {
        1 => Width::W1,
        2 => Width::W2,
        4 => Width::W4,
        8 => Width::W8,
        16 => Width::W16,
        _ => Width::W32,
    }
}

/// Block `b` has mask `masks[b]`; its lanes try all operands. Lanes that are not in the mask do not take part.
#[kernel]
fn shuffle(
    warp: Warp,
    block: Block,
    mode: u32,
    width: u32,
    masks: &[u32],
    mut y: DisjointSlice<u32, Chunks<72>>,
    i: Index1D,
) {
    let (lane, mask) = (warp.lane(), masks[block.index() % masks.len()]);
    let (value, width) = (block.index() as u32 * 1000 + lane, width_of(width));
    let mut seen = [0; OPERANDS as usize];
    if mask >> lane & 1 == 1 {
        for k in 0..OPERANDS {
            let b = if k < 64 { k } else { (k - 64).wrapping_sub(8) };
            seen[k as usize] = match mode {
                // SAFETY: exactly the lanes of the mask come here, all with this mask; so in the three below.
                // warploom: allow(WL0214, reason = "the test forgets what absent lanes give")
                0 => unsafe { warp.shuffle_idx_mask_in(mask, value, b, width) },
                // SAFETY: as above.
                // warploom: allow(WL0214, reason = "the test forgets what absent lanes give")
                1 => unsafe { warp.shuffle_up_mask_in(mask, value, b, width) },
                // SAFETY: as above.
                // warploom: allow(WL0214, reason = "the test forgets what absent lanes give")
                2 => unsafe { warp.shuffle_down_mask_in(mask, value, b, width) },
                // SAFETY: as above.
                // warploom: allow(WL0214, reason = "the test forgets what absent lanes give")
                _ => unsafe { warp.shuffle_xor_mask_in(mask, value, b, width) },
            };
        }
    }
    if let Some(y) = y.get_mut(i) {
        y.copy_from_slice(&seen);
    }
}

fn exhaustive(mode: Mode) {
    for width in WIDTHS {
        let mut expected = vec![0; MASKS.len() * 32 * OPERANDS as usize];
        // Where the source does not take part the value is anything.
        let mut known = vec![false; expected.len()];
        for (block, mask) in MASKS.into_iter().enumerate() {
            for lane in lanes(mask) {
                for k in 0..OPERANDS {
                    let from = source(mode, width, lane, operand(k));
                    let at = (block * 32 + lane as usize) * OPERANDS as usize + k as usize;
                    known[at] = mask >> from & 1 == 1;
                    expected[at] = if known[at] {
                        block as u32 * 1000 + from
                    } else {
                        0
                    };
                }
            }
        }
        assert!(
            known.iter().filter(|k| **k).count() > 5000,
            "most are known"
        );
        check(&expected, |device, stream| {
            let mut y = device.zeroed(expected.len())?;
            let masks = device.upload(&MASKS)?;
            let mode = MODES.iter().position(|m| *m == mode).unwrap() as u32;
            let blocks = MASKS.len() as u32;
            shuffle::launch(stream, (blocks, 32), mode, width, &masks, &mut y)?;
            let mut found = y.to_vec(stream)?;
            for (found, known) in found.iter_mut().zip(&known) {
                *found = if *known { *found } else { 0 };
            }
            Ok(found)
        });
    }
}

//@ rows: WS-1, E-4
#[test]
fn from_a_lane() {
    exhaustive(Mode::Idx);
}

//@ rows: WS-2
#[test]
fn from_below() {
    exhaustive(Mode::Up);
}

//@ rows: WS-3
#[test]
fn from_above() {
    exhaustive(Mode::Down);
}

//@ rows: WS-4
#[test]
fn from_across() {
    exhaustive(Mode::Xor);
}

/// The plain forms, in blocks of several warps: broadcast, neighbours, mirrored, and a different source in each lane.
#[kernel]
fn plain_forms(warp: Warp, i: Index1D, x: &[u32], mut y: DisjointSlice<[u32; 8]>) {
    let (v, lane) = (x[i.get() % x.len()], warp.lane());
    let seen = [
        warp.shuffle_idx(v, 4),
        warp.shuffle_up(v, 4),
        warp.shuffle_down(v, 4),
        warp.shuffle_xor(v, 31),
        warp.shuffle_idx(v, lane * 7 + 3),
        warp.shuffle_down_in(v, 2, Width::W8),
        warp.shuffle_up_in(v, 1, Width::W16),
        warp.shuffle_xor_in(v, 12, Width::W8),
    ];
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}

//@ rows: WS-1, WS-2, WS-3, WS-4, E3-25
#[test]
fn broadcast_neighbours_and_mirror() {
    let x: Vec<u32> = (0..3 * 96).map(|i| crate::model::noise(i) as u32).collect();
    let expected: Vec<[u32; 8]> = (0..3 * 96u32)
        .map(|i| {
            let (lane, first) = (i % 32, i / 32 * 32);
            let of = |lane: u32| x[(first + lane) as usize];
            [
                of(4),
                of(source(Mode::Up, 32, lane, 4)),
                of(source(Mode::Down, 32, lane, 4)),
                of(31 - lane),
                of((lane * 7 + 3) % 32),
                of(source(Mode::Down, 8, lane, 2)),
                of(source(Mode::Up, 16, lane, 1)),
                of(source(Mode::Xor, 8, lane, 12)),
            ]
        })
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(expected.len())?;
        plain_forms::launch(stream, (3, 96), &device.upload(&x)?, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// CUDA's examples: a scan in groups of eight lanes, and a sum by exchange across.
#[kernel]
fn examples(warp: Warp, i: Index1D, mut y: DisjointSlice<[u32; 3]>) {
    let lane = warp.lane();
    let mut scan = 31 - lane;
    let mut delta = 1;
    while delta <= 4 {
        let below = warp.shuffle_up_in(scan, delta, Width::W8);
        if lane % 8 >= delta {
            scan += below;
        }
        delta *= 2;
    }
    let mut sum = 31 - lane;
    for flip in [16, 8, 4, 2, 1] {
        sum += warp.shuffle_xor(sum, flip);
    }
    let mut segment = lane * lane;
    for delta in [8, 4, 2, 1] {
        segment += warp.shuffle_down_in(segment, delta, Width::W16);
    }
    if let Some(y) = y.get_mut(i) {
        *y = [scan, sum, if lane.is_multiple_of(16) { segment } else { 0 }];
    }
}

//@ rows: WS-2, WS-4, E3-26
#[test]
fn the_examples_of_the_documents() {
    let expected: Vec<[u32; 3]> = (0..2 * 64u32)
        .map(|i| {
            let lane = i % 32;
            let scan = (lane / 8 * 8..=lane).map(|k| 31 - k).sum();
            let segment = (lane..lane + 16).map(|k| k * k).sum();
            [scan, 496, if lane % 16 == 0 { segment } else { 0 }]
        })
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(expected.len())?;
        examples::launch(stream, (2, 64), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}
