//! Out of bounds through numbers that the data holds: embeddings, tables of pages, sparse rows, hashes.

use warploom::prelude::*;

use crate::case::{case, cases, floats, launch, noise};

/// torch/cunn#167: a lookup table takes any index that it is given.
#[kernel]
fn any_index_is_looked_up<const BUG: bool>(
    i: Index1D,
    index: &[u32],
    table: &[f32],
    mut y: DisjointSlice<f32>,
) {
    if let Some(y) = y.get_mut(i) {
        let at = index[i.get()] as usize;
        *y = 0.0;
        if BUG || at < table.len() {
            // SAFETY: within the table; the bug is intended.
            *y = unsafe { *table.as_ptr().add(at) }; //~ WL0001
        }
    }
}

/// pytorch/pytorch#193408: the backward pass reads rows by indices that only the forward pass has checked.
#[kernel]
fn indices_changed_since<const BUG: bool>(
    i: Index1D,
    index: &[i64],
    weights: &[f32],
    mut y: DisjointSlice<f32>,
) {
    if let Some(y) = y.get_mut(i) {
        let row = index[i.get()] as isize;
        let rows = (weights.len() / 4) as isize;
        let mut sum = 0.0;
        if BUG || (0..rows).contains(&row) {
            for k in 0..4 {
                // SAFETY: within the weights; the bug is intended.
                sum += unsafe { *weights.as_ptr().offset(4 * row + k) }; //~ WL0001
            }
        }
        *y = sum;
    }
}

/// vllm-project/vllm#56862: on the last tile of a sequence, lanes behind its end look up pages that the table does not have.
#[kernel]
fn pages_behind_the_table<const BUG: bool>(
    warp: Warp,
    i: Index1D,
    len: u32,
    table: &[u32],
    cache: &[f32],
    mut y: DisjointSlice<f32>,
) {
    let at = 32 * (i.get() / 32) + warp.lane() as usize;
    let inside = at < len as usize;
    let mut page = 0;
    if BUG || inside {
        // SAFETY: within the table; the bug is intended.
        page = unsafe { *table.as_ptr().add(at / 4) }; //~ WL0001
    }
    if let Some(y) = y.get_mut(i) {
        *y = if inside {
            cache[4 * page as usize + at % 4]
        } else {
            0.0
        };
    }
}

/// microsoft/onnxruntime#32391: a page number of the table is only checked against being negative.
#[kernel]
fn page_that_is_not_there<const BUG: bool>(
    i: Index1D,
    table: &[i32],
    cache: &[u32],
    mut y: DisjointSlice<u32>,
) {
    if let Some(y) = y.get_mut(i) {
        let page = table[i.get() / 8];
        let pages = (cache.len() / 8) as i32;
        *y = 0;
        if page >= 0 && (BUG || page < pages) {
            // SAFETY: within the cache; the bug is intended.
            *y = unsafe { *cache.as_ptr().add(8 * page as usize + i.get() % 8) }; //~ WL0001
        }
    }
}

/// ROCm/rocm-libraries#9175: the row's end is read before the test whether there is such a row.
#[kernel]
fn row_end_before_the_test<const BUG: bool>(
    i: Index1D,
    stop: u32,
    rows: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let (row, stop) = (i.get(), stop as usize);
    let mut len = 0;
    if BUG || row < stop {
        // SAFETY: one more element than rows; the bug is intended.
        let (start, end) = unsafe { (rows[row.min(stop)], *rows.as_ptr().add(row + 1)) }; //~ WL0001
        len = end.wrapping_sub(start);
    }
    if row < stop {
        // SAFETY: an element for each row.
        unsafe { *y.raw().add(row) = len };
    }
}

/// cupy/cupy#10170: the element is loaded before the index is compared with the row's length.
#[kernel]
fn loaded_before_compared<const BUG: bool>(
    i: Index1D,
    rows: &[u32],
    columns: &[u32],
    mut y: DisjointSlice<u32>,
) {
    if i.get() + 1 >= rows.len() {
        return;
    }
    let (start, end) = (rows[i.get()] as usize, rows[i.get() + 1] as usize);
    let mut k = 0;
    loop {
        if !BUG && start + k >= end {
            break;
        }
        // SAFETY: within the row; the bug is intended.
        let column = unsafe { *columns.as_ptr().add(start + k) }; //~ WL0001
        if column != k as u32 || start + k >= end {
            break;
        }
        k += 1;
    }
    if let Some(y) = y.get_mut(i) {
        *y = k as u32;
    }
}

/// clMathLibraries/clSPARSE#191: all work-items test one value, so that the last ones read behind the end of the values.
#[kernel]
fn one_test_for_all_items<const BUG: bool>(
    block: Block,
    values: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let (t, n) = (block.thread(), values.len());
    let mut sum = 0;
    for first in (0..n).step_by(64) {
        let tested = if BUG { first } else { first + t };
        if tested < n {
            // SAFETY: below the end; the bug is intended.
            sum ^= unsafe { *values.as_ptr().add(first + t) }; //~ WL0001
        }
    }
    // SAFETY: each thread has its own element.
    unsafe { *y.raw().add(t) = sum };
}

/// nosferalatu/SimpleGPUHashTable#11: the first probe uses the whole hash, without reducing it to the table's size.
#[kernel]
fn first_probe_not_reduced<const BUG: bool>(
    i: Index1D,
    keys: &[u32],
    table: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let n = table.len();
    if let Some(y) = y.get_mut(i) {
        let key = keys[i.get()];
        let mut slot = (key ^ (key >> 3)) as usize;
        if !BUG {
            slot %= n;
        }
        // SAFETY: within the table; the bug is intended.
        while unsafe { *table.as_ptr().add(slot) } != key {
            //~^ WL0001
            slot = (slot + 1) % n;
        }
        *y = slot as u32;
    }
}

/// triton-lang/triton#10336: the mask has the length of one view, and the other view has a stride of two.
#[kernel]
fn mask_of_another_view<const BUG: bool>(
    i: Index1D,
    values: &[u32],
    bins: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let at = i.get();
    if at < values.len() && (BUG || 2 * at < bins.len()) {
        // SAFETY: within the view; the bug is intended.
        let bin = unsafe { *bins.as_ptr().add(2 * at) }; //~ WL0001
        // SAFETY: each thread has its own element.
        unsafe { *y.raw().add(at) = values[at] ^ bin };
    }
}

/// vllm-project/vllm-ascend#16275: both arms of the selection are evaluated, so that lane 0 reads before the start of the prefix sums.
#[kernel]
fn both_arms_are_evaluated<const BUG: bool>(i: Index1D, ends: &[u32], mut y: DisjointSlice<u32>) {
    let at = i.get();
    if let Some(y) = y.get_mut(i) {
        let start = if BUG {
            // SAFETY: within the array; the bug is intended.
            let before = unsafe { *ends.as_ptr().wrapping_add(at).wrapping_sub(1) }; //~ WL0001
            if at == 0 { 0 } else { before }
        } else if at == 0 {
            0
        } else {
            ends[at - 1]
        };
        *y = ends[at] - start;
    }
}

/// vllm-project/vllm#37329: a group size of -1 stands for the whole row, and the kernel divides by it.
#[kernel]
fn group_size_of_minus_one<const BUG: bool>(
    i: Index1D,
    size: i32,
    scales: &[f32],
    mut y: DisjointSlice<f32>,
) {
    let columns = 64;
    let size = if BUG || size > 0 { size } else { columns };
    if let Some(y) = y.get_mut(i) {
        let group = i.get() as i32 / size;
        // SAFETY: within the array; the bug is intended.
        *y = unsafe { *scales.as_ptr().offset(group as isize) }; //~ WL0001
    }
}

cases!("lookups.rs":
    case!(any_index_is_looked_up, "torch/cunn#167", |run| {
        let index: Vec<u32> = (0..32).map(|i| if i == 7 { 100 } else { i % 6 }).collect();
        let table = floats(6);
        let (at, input, mut y) = (run.upload(&index)?, run.upload(&table)?, run.zeroed::<f32>(32)?);
        launch!(run, any_index_is_looked_up, (1, 32), &at, &input, &mut y);
        run.expect(&y, |i| if i == 7 { 0.0 } else { table[i % 6] })
    }),
    case!(indices_changed_since, "pytorch/pytorch#193408", |run| {
        let index: Vec<i64> = (0..32).map(|i| if i == 20 { -5 } else { i % 8 }).collect();
        let weights = floats(32);
        let (at, input, mut y) = (run.upload(&index)?, run.upload(&weights)?, run.zeroed::<f32>(32)?);
        launch!(run, indices_changed_since, (1, 32), &at, &input, &mut y);
        run.expect(&y, |i| if i == 20 { 0.0 } else { weights[i % 8 * 4..][..4].iter().sum() })
    }),
    case!(pages_behind_the_table, "vllm-project/vllm#56862", |run| {
        let table: Vec<u32> = (0..10).map(|page| 9 - page).collect();
        let cache = floats(40);
        let (pages, input, mut y) = (run.upload(&table)?, run.upload(&cache)?, run.zeroed::<f32>(64)?);
        launch!(run, pages_behind_the_table, (2, 32), 40, &pages, &input, &mut y);
        run.expect(&y, |i| if i < 40 { cache[4 * (9 - i / 4) + i % 4] } else { 0.0 })
    }),
    case!(page_that_is_not_there, "microsoft/onnxruntime#32391", |run| {
        let table = [2_i32, -1, 99, 0];
        let cache = noise(24);
        let (pages, input, mut y) = (run.upload(&table)?, run.upload(&cache)?, run.zeroed::<u32>(32)?);
        launch!(run, page_that_is_not_there, (1, 32), &pages, &input, &mut y);
        run.expect(&y, |i| match table[i / 8] {
            page @ 0..3 => cache[8 * page as usize + i % 8],
            _ => 0,
        })
    }),
    case!(row_end_before_the_test, "ROCm/rocm-libraries#9175", |run| {
        let rows: Vec<u32> = (0..=40).map(|row| row * row).collect();
        let (input, mut y) = (run.upload(&rows)?, run.zeroed::<u32>(40)?);
        launch!(run, row_end_before_the_test, (1, 64), 40, &input, &mut y);
        run.expect(&y, |row| 2 * row as u32 + 1)
    }),
    case!(loaded_before_compared, "cupy/cupy#10170", |run| {
        let (rows, columns) = ([0_u32, 2, 5, 8], [0_u32, 1, 0, 2, 3, 0, 1, 2]);
        let (starts, input, mut y) = (run.upload(&rows)?, run.upload(&columns)?, run.zeroed::<u32>(3)?);
        launch!(run, loaded_before_compared, (1, 32), &starts, &input, &mut y);
        run.expect(&y, |row| [2, 1, 3][row])
    }),
    case!(one_test_for_all_items, "clMathLibraries/clSPARSE#191", |run| {
        let values = noise(150);
        let (input, mut y) = (run.upload(&values)?, run.zeroed::<u32>(64)?);
        launch!(run, one_test_for_all_items, (1, 64), &input, &mut y);
        run.expect(&y, |t| values.iter().skip(t).step_by(64).fold(0, |a, v| a ^ v))
    }),
    case!(first_probe_not_reduced, "nosferalatu/SimpleGPUHashTable#11", |run| {
        let table: Vec<u32> = (100..116).collect();
        let keys: Vec<u32> = (0..32).map(|i| 100 + (5 * i) % 16).collect();
        let (input, slots, mut y) = (run.upload(&keys)?, run.upload(&table)?, run.zeroed::<u32>(32)?);
        launch!(run, first_probe_not_reduced, (1, 32), &input, &slots, &mut y);
        run.expect(&y, |i| keys[i] - 100)
    }),
    case!(mask_of_another_view, "triton-lang/triton#10336", |run| {
        let (values, bins) = (noise(40), noise(50));
        let (v, b, mut y) = (run.upload(&values)?, run.upload(&bins)?, run.zeroed::<u32>(40)?);
        launch!(run, mask_of_another_view, (2, 32), &v, &b, &mut y);
        run.expect(&y, |i| if i < 25 { values[i] ^ bins[2 * i] } else { 0 })
    }),
    case!(both_arms_are_evaluated, "vllm-project/vllm-ascend#16275", |run| {
        let ends: Vec<u32> = (1..=32).map(|k| k * k).collect();
        let (input, mut y) = (run.upload(&ends)?, run.zeroed::<u32>(32)?);
        launch!(run, both_arms_are_evaluated, (1, 32), &input, &mut y);
        run.expect(&y, |i| 2 * i as u32 + 1)
    }),
    case!(group_size_of_minus_one, "vllm-project/vllm#37329", |run| {
        let (scales, mut y) = (run.upload(&[3.5_f32])?, run.zeroed::<f32>(64)?);
        launch!(run, group_size_of_minus_one, (2, 32), -1, &scales, &mut y);
        run.expect(&y, |_| 3.5)
    }),
);
