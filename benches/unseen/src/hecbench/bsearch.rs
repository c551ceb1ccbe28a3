//! HeCBench `bsearch`: the place of each value in sorted numbers.

use warploom::prelude::*;

use crate::call::{Call, arguments};
use crate::data::below;
use crate::kernel_case::{Case, Done, Side};

pub(crate) const CASE: Case = Case {
    suite: "hecbench",
    name: "bsearch",
    run,
};

#[kernel]
fn search(i: Index1D, n: usize, sorted: &[f32], values: &[f32], mut places: DisjointSlice<u64>) {
    if let Some(place) = places.get_mut(i) {
        let value = values[i.get()];
        let (mut low, mut high) = (0, n);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if value < sorted[middle] {
                high = middle;
            } else {
                low = middle;
            }
        }
        *place = low as u64;
    }
}

#[kernel]
fn search_by_bits(
    i: Index1D,
    n: usize,
    sorted: &[f32],
    values: &[f32],
    mut places: DisjointSlice<u64>,
) {
    if let Some(place) = places.get_mut(i) {
        let bits = usize::BITS - n.leading_zeros();
        let mut k = 1 << (bits - 1);
        let value = values[i.get()];
        let mut index = if sorted[k] <= value { k } else { 0 };
        k >>= 1;
        while k > 0 {
            let next = index | k;
            if next < n && value >= sorted[next] {
                index = next;
            }
            k >>= 1;
        }
        *place = index as u64;
    }
}

fn run(side: &mut Side<'_>, scale: u32) -> Done {
    let len = [1000, 1 << 20][scale as usize];
    let sorted: Vec<f32> = (0..len).map(|i| i as f32).collect();
    let n = len - 1;
    let wanted = below(2 * len, n as u32, 1);
    let values: Vec<f32> = wanted.iter().map(|v| *v as f32).collect();
    let (d_sorted, d_values) = (side.upload(&sorted)?, side.upload(&values)?);
    let grid = (2 * len).div_ceil(256) as u32;
    for name in ["search", "search_by_bits"] {
        let expected = wanted.iter().map(|v| u64::from(*v)).collect();
        let mut places = side.output(&vec![u64::MAX; 2 * len], expected, 0.0)?;
        let arguments = arguments![
            &d_sorted,
            &d_values,
            &places.buffer,
            2 * len as u64,
            n as u64
        ];
        // SAFETY: n + 1 sorted numbers, 2 (n + 1) values and places.
        let twin = unsafe { Call::new(name, grid, 256, arguments) };
        side.kernel(name, vec![twin], &mut places, |stream, places| {
            let (shape, places) = (Launch::new(grid, 256), &mut places.buffer);
            let launched = if name == "search" {
                search::launch(stream, shape, n, &d_sorted, &d_values, places)
            } else {
                search_by_bits::launch(stream, shape, n, &d_sorted, &d_values, places)
            };
            Ok(launched?)
        })?;
    }
    Ok(())
}
