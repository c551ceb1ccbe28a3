//! The rules for masks: CUDA's valid examples work, its invalid ones are reported by the emulator.

use warploom::prelude::*;
use warploom_harness::device_test::check;

/// The valid examples, each with what it gives.
#[kernel]
fn valid(warp: Warp, block: Block, i: Index1D, mut y: DisjointSlice<[u32; 5]>) {
    let t = block.thread();
    let lane = warp.lane();
    let mut seen = [0; 5];
    if t < 4 {
        // SAFETY: the four lanes come here, with their mask.
        seen[0] = u32::from(unsafe { warp.all_mask(0b1111u32, t < 3) });
        // SAFETY: as above.
        seen[1] = u32::from(unsafe { warp.all_mask(0b1111u32, t < 4) });
    }
    // One place of the program for both halves.
    let half = if lane < 16 { 0xFFFF } else { 0xFFFF_0000u32 };
    // SAFETY: the lanes of each half come here with the mask of that half.
    seen[2] = unsafe { warp.ballot_mask(half, lane.is_multiple_of(3)) }.bits();
    // A place for each half.
    seen[3] = if lane < 16 {
        // SAFETY: the lanes of the lower half come here.
        unsafe { warp.shuffle_xor_mask(0xFFFFu32, t as u32, 5) }
    } else {
        // SAFETY: the lanes of the upper half come here.
        unsafe { warp.shuffle_xor_mask(0xFFFF_0000u32, t as u32, 9) }
    };
    if t == 0 {
        return;
    }
    // The lane that returned is in the mask, and the others do not wait for it.
    seen[4] = warp.ballot(true).bits();
    if let Some(y) = y.get_mut(i) {
        *y = seen;
    }
}

//@ rows: WMASK, E-3
#[test]
fn valid_masks() {
    let expected: Vec<[u32; 5]> = (0..2 * 64u32)
        .map(|i| {
            let (t, lane) = (i % 64, i % 32);
            if t == 0 {
                return [0; 5];
            }
            let half = if lane < 16 { 0xFFFF } else { 0xFFFF_0000 };
            [
                0,
                u32::from(t < 4),
                0x4924_9249 & half,
                if lane < 16 { t ^ 5 } else { t ^ 9 },
                if t < 32 { 0xFFFF_FFFE } else { u32::MAX },
            ]
        })
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(expected.len())?;
        valid::launch(stream, (2, 64), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// The invalid examples; after them all lanes meet at the block's barrier, or not.
#[kernel]
fn invalid(warp: Warp, block: Block, which: u32) {
    let t = block.thread();
    // SAFETY: none, that is the point: only the emulator runs this.
    let all = |mask: u32| unsafe { warp.all_mask(mask, true) };
    match which {
        0 if t < 4 => _ = all(0b11),       // lanes 2 and 3 are not in their mask
        1 if t < 4 => _ = all(0b111_1111), // lanes 4 to 6 never come
        2 => _ = all(if t == 0 { 1 } else { u32::MAX }), // lanes disagree
        3 => {
            _ = all(if t == 0 { 1 } else { u32::MAX });
            return;
        }
        4 => {
            let even = t.is_multiple_of(2);
            let mask = if even { 0x5555_5555 } else { u32::MAX };
            // SAFETY: as above.
            _ = unsafe { warp.shuffle_idx_mask(mask, 1, 0) };
        }
        _ => {}
    }
    block.sync();
}

/// The line in [`invalid`] of the lanes that wait for those that never come.
const NEVER_COMES: u32 = line!() - 21;

#[track_caller]
fn report(which: u32) -> String {
    let device = Device::emulator();
    let stream = device.stream().unwrap();
    invalid::launch(&stream, (1, 32), which).unwrap();
    stream.synchronize().unwrap_err().to_string()
}

#[track_caller]
fn expect(which: u32, parts: &[&str]) {
    let text = report(which);
    for part in parts {
        assert!(
            text.contains(part),
            "{which}: {text}\nwhere this was expected:\n{part}"
        );
    }
}

//@ rows: WMASK, E-3
#[test]
fn a_lane_outside_of_its_own_mask_is_reported() {
    expect(
        0,
        &[
            "`vote_all` was called by lane 2 with mask 0x00000003, in which it is not",
            "thread (2,0,0)",
        ],
    );
}

//@ rows: WMASK, E-5
#[test]
fn a_lane_that_never_comes_is_reported() {
    let place = format!("{}:{NEVER_COMES}:", file!());
    expect(
        1,
        &[
            "4 threads (first: (0, 0, 0)) wait at `vote_all` of warp 0 with mask 0x0000007f (lanes there: 0x0000000f)",
            "28 threads (first: (4, 0, 0)) wait at barrier 0",
            &place,
        ],
    );
}

//@ rows: WMASK
#[test]
fn lanes_that_disagree_about_the_mask_are_reported() {
    let stuck = "31 threads (first: (1, 0, 0)) wait at `vote_all` of warp 0 with mask 0xffffffff (lanes there: 0xfffffffe)";
    expect(
        2,
        &[stuck, "1 thread (first: (0, 0, 0)) waits at barrier 0"],
    );
    // Also if the lane that thought otherwise has returned meanwhile.
    expect(3, &[stuck]);
    expect(
        4,
        &["16 threads (first: (1, 0, 0)) wait at `shuffle_idx` of warp 0 with mask 0xffffffff"],
    );
}
