//! Votes.

use warploom::device_std::LaneMask;
use warploom::prelude::*;
use warploom_harness::device_test::check;

use crate::model::{MASKS, lanes, noise, warp_of};

/// Predicates: none, all, all but one, one, and patterns.
const PATTERNS: [u32; 8] = [
    0,
    u32::MAX,
    0xFFFF_FFFE,
    0x8000_0000,
    0xAAAA_AAAA,
    0x0000_FFFF,
    0x1357_9BDF,
    0x7FFF_FFFF,
];

#[kernel]
fn vote(
    warp: Warp,
    block: Block,
    masks: &[u32],
    patterns: &[u32],
    mut y: DisjointSlice<[u32; 32]>,
    i: Index1D,
) {
    let (lane, mask) = (warp.lane(), masks[block.index() % masks.len()]);
    let mut seen = [0; 32];
    if mask >> lane & 1 == 1 {
        for k in 0..8 {
            let p = patterns[k % patterns.len()] >> lane & 1 == 1;
            // SAFETY: exactly the lanes of the mask come here, all with this mask.
            seen[4 * k] = unsafe { warp.ballot_mask(mask, p) }.bits();
            // SAFETY: as above.
            seen[4 * k + 1] = u32::from(unsafe { warp.any_mask(mask, p) });
            // SAFETY: as above.
            seen[4 * k + 2] = u32::from(unsafe { warp.all_mask(mask, p) });
            // SAFETY: as above.
            seen[4 * k + 3] = u32::from(unsafe { warp.uniform_mask(mask, p) });
        }
    }
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}

//@ rows: WV-1, WV-2, WV-3, WMASK, E-5
#[test]
fn all_masks_and_patterns() {
    let mut expected = Vec::new();
    for mask in MASKS {
        for lane in 0..32 {
            let mut seen = [0; 32];
            for (k, pattern) in PATTERNS.into_iter().enumerate() {
                let yes = pattern & mask;
                seen[4 * k] = yes;
                seen[4 * k + 1] = u32::from(yes != 0);
                seen[4 * k + 2] = u32::from(yes == mask);
                seen[4 * k + 3] = u32::from(yes == 0 || yes == mask);
            }
            expected.push(if mask >> lane & 1 == 1 { seen } else { [0; 32] });
        }
    }
    check(&expected, |device, stream| {
        let mut y = device.zeroed(expected.len())?;
        let (masks, patterns) = (device.upload(&MASKS)?, device.upload(&PATTERNS)?);
        vote::launch(stream, (MASKS.len() as u32, 32), &masks, &patterns, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// The forms without a mask, in whole and ragged warps; every fifth thread returned before.
#[kernel]
fn of_those_left(warp: Warp, i: Index1D, x: &[u32], mut y: DisjointSlice<[u32; 4]>) {
    let v = x[i.get() % x.len()];
    if v % 5 == 4 {
        return;
    }
    let seen = [
        warp.ballot(v.is_multiple_of(3)).bits(),
        u32::from(warp.any(v.is_multiple_of(37))),
        u32::from(warp.all(!v.is_multiple_of(31))),
        u32::from(warp.uniform(v < 1 << 31)),
    ];
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}

//@ rows: WV-1, WV-2, WV-3, GWV-1, GWV-2, GWV-3, WMASK
#[test]
fn lanes_that_returned_or_never_were_do_not_vote() {
    for block in [32usize, 96, 70, 9] {
        let x: Vec<u32> = (0..4 * block as u32).map(|i| noise(i) as u32).collect();
        let expected: Vec<[u32; 4]> = (0..x.len())
            .map(|i| {
                let (first, n) = warp_of(i, block);
                let left: Vec<(usize, u32)> = (0..n)
                    .map(|lane| (lane, x[first + lane]))
                    .filter(|(_, v)| v % 5 != 4)
                    .collect();
                if x[i] % 5 == 4 {
                    return [0; 4];
                }
                let ballot = left
                    .iter()
                    .filter(|(_, v)| v % 3 == 0)
                    .fold(0, |b, (l, _)| b | 1 << l);
                let low = left.iter().filter(|(_, v)| *v < 1 << 31).count();
                [
                    ballot,
                    u32::from(left.iter().any(|(_, v)| v % 37 == 0)),
                    u32::from(left.iter().all(|(_, v)| v % 31 != 0)),
                    u32::from(low == 0 || low == left.len()),
                ]
            })
            .collect();
        check(&expected, |device, stream| {
            let mut y = device.zeroed(expected.len())?;
            of_those_left::launch(stream, (4, block as u32), &device.upload(&x)?, &mut y)?;
            Ok(y.to_vec(stream)?)
        });
    }
}

/// The odd lanes of each warp.
#[kernel]
fn odd_lanes(warp: Warp, i: Index1D, mut y: DisjointSlice<LaneMask>) {
    let odd = warp.ballot(warp.lane() % 2 == 1);
    if let Some(y) = y.get_mut(i) {
        *y = odd;
    }
}

//@ rows: GWV-3, WV-3
#[test]
fn a_ballot_is_a_mask_per_warp() {
    let expected = vec![LaneMask::from_bits(0xAAAA_AAAA); 2 * 64];
    check(&expected, |device, stream| {
        let mut y = device.zeroed(expected.len())?;
        odd_lanes::launch(stream, (2, 64), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
    assert_eq!(lanes(0xAAAA_AAAA).count(), 16);
}
