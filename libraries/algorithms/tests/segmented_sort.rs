//! Segmented sorts against sorts of the segments on the host.

use warploom_algorithms::SegmentedSortPlan;
use warploom_algorithms::prelude::*;

use crate::{check, noise};

/// That segments of `keys` that end at `ends` are sorted.
#[track_caller]
fn sorts(keys: &[i32], ends: &[u32]) {
    let mut expected = keys.to_vec();
    let bounds = [&[0], ends, &[keys.len() as u32]].concat();
    for bound in bounds.windows(2) {
        expected[bound[0] as usize..bound[1] as usize].sort_unstable();
    }
    check(&expected, |device, stream| {
        let (x, ends) = (device.upload(keys)?, device.upload(ends)?);
        let mut y = device.alloc_uninit(keys.len())?;
        stream.segmented_sort(&x, &ends).into(&mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

fn keys(n: usize) -> Vec<i32> {
    noise(n).iter().map(|&x| x as i32).collect()
}

#[test]
fn segments_of_any_length() {
    sorts(&[], &[]);
    sorts(&keys(1000), &[]);
    sorts(&keys(1000), &[0, 0, 1, 3, 500, 500, 1000]);
    sorts(&keys(20_000), &[3, 9000, 9001, 19_999]);
}

#[test]
fn many_short_segments() {
    let ends: Vec<u32> = (0..30_000).step_by(7).collect();
    sorts(&keys(30_000), &ends);
}

#[test]
fn descending_with_a_plan() {
    let keys = keys(9000);
    let mut expected = keys.clone();
    expected[..4000].sort_by(|a, b| b.cmp(a));
    expected[4000..].sort_by(|a, b| b.cmp(a));
    check(&expected, |device, stream| {
        let (x, ends) = (device.upload(&keys)?, device.upload(&[4000u32])?);
        let mut plan = SegmentedSortPlan::new(device, 10_000)?;
        let mut y = device.alloc_uninit(9000)?;
        for _ in 0..2 {
            let sort = stream.segmented_sort(&x, &ends).descending();
            sort.plan(&mut plan).into(&mut y)?;
        }
        Ok(y.to_vec(stream)?)
    });
}
