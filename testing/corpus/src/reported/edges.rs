//! Out of bounds: edges of the data, grids that are rounded up, vectors, sizes of shared memory.

use warploom::device_std::atomic::{Atomic, Relaxed};
use warploom::prelude::*;

use crate::case::{case, cases, count, floats, launch, noise};

/// autowarefoundation/autoware#113: `<=` for `<` in a loop over a row of scores.
#[kernel]
fn loop_up_to_the_length<const BUG: bool>(i: Index1D, x: &[f32], mut y: DisjointSlice<f32>) {
    let (n, first) = (x.len() / 4, i.get());
    let last = if BUG { n } else { n - 1 };
    if let Some(y) = y.get_mut(i) {
        let mut most = 0.0_f32;
        for k in 0..=last {
            // SAFETY: below the end; the bug is intended.
            most = most.max(unsafe { *x.as_ptr().add(4 * k + first) }); //~ WL0001
        }
        *y = most;
    }
}

/// risc0/risc0#3803: the kernel has no count, and the grid is rounded up to whole blocks; each thread reads and writes back.
#[kernel]
unsafe fn no_count_at_all<const BUG: bool>(i: Index1D, n: u32, elements: *mut u32) {
    if BUG || i.get() < n as usize {
        // SAFETY: each thread has its own element; the bug is intended.
        unsafe {
            let own = elements.add(i.get());
            let value = *own; //~ WL0001
            *own = if value == u32::MAX { 0 } else { value }; //~? WL0001
        }
    }
}

/// proteneer/timemachine#1214: threads beyond the third write the centroid, which has three coordinates.
#[kernel]
fn centroid_of_three<const BUG: bool>(block: Block, x: &[u32], mut y: DisjointSlice<u32>) {
    let centroid = shared_array!(u32, 3);
    let t = block.thread();
    // SAFETY: a barrier between writing and reading; below 3. The bug is the point.
    unsafe {
        if BUG || t < 3 {
            *centroid.as_ptr().add(t) = x[t]; //~ WL0002
        }
        block.sync();
        if t < 3 {
            *y.raw().add(t) = centroid.get(2 - t);
        }
    }
}

/// rapidsai/cucim#540: a negative coordinate becomes a distance before the start of the image.
#[kernel]
fn negative_coordinate<const BUG: bool>(
    i: Index1D,
    nearest: &[i32],
    image: &[u32],
    mut y: DisjointSlice<u32>,
) {
    if let Some(y) = y.get_mut(i) {
        let at = nearest[i.get()];
        *y = 0;
        if BUG || at >= 0 {
            // SAFETY: within the image; the bug is intended.
            *y = unsafe { *image.as_ptr().offset(at as isize) }; //~ WL0001
        }
    }
}

/// GhiXu/ACMP#3: a minus for a plus: the step to the row above goes before the first row.
#[kernel]
fn wrong_sign_of_a_row<const BUG: bool>(
    i: Index1D,
    width: u32,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let width = width as isize;
    let at = i.get() as isize + 1;
    if let Some(y) = y.get_mut(i) {
        let mut least = u32::MAX;
        for k in 0..3 {
            let step = if BUG { -k * width } else { k * width };
            // SAFETY: within the image; the bug is intended.
            least = least.min(unsafe { *x.as_ptr().offset(at + step) }); //~ WL0001
        }
        *y = least;
    }
}

/// flashinfer-ai/flashinfer#4525: the bound is one of elements, and is applied to the number of a group of eight.
#[kernel]
fn bound_of_another_unit<const BUG: bool>(i: Index1D, sinks: &[f32], mut y: DisjointSlice<f32>) {
    let bound = sinks.len() - 1;
    let group = i.get() / 8;
    let at = if BUG {
        8 * group.min(bound) + i.get() % 8
    } else {
        (8 * group + i.get() % 8).min(bound)
    };
    if let Some(y) = y.get_mut(i) {
        // SAFETY: within the array; the bug is intended.
        *y = unsafe { *sinks.as_ptr().add(at) }; //~ WL0001
    }
}

/// torch/cutorch#704: the flags of neighbours at `2 t + 1` compare with `2 t + 2`, one behind the last element in the last thread.
#[kernel]
fn pairs_of_neighbours<const BUG: bool>(
    block: Block,
    i: Index1D,
    x: &[u32],
    mut y: DisjointSlice<u32>,
) {
    let sorted = shared_array!(u32, 64);
    let t = block.thread();
    // SAFETY: a barrier between writing and reading; below 64. The bug is the point.
    unsafe {
        sorted.set(2 * t, x[2 * t]);
        sorted.set(2 * t + 1, x[2 * t + 1]);
        block.sync();
        let mut differs = 1;
        if BUG || 2 * t + 2 < 64 {
            let right = *sorted.as_ptr().add(2 * t + 2); //~ WL0002
            differs = u32::from(sorted.get(2 * t + 1) != right);
        }
        if let Some(y) = y.get_mut(i) {
            *y = differs.min(u32::from(t < 31));
        }
    }
}

/// tracel-ai/cubecl#407: shared memory for one element, used for two by each unit.
#[kernel]
fn memory_for_one_element<const BUG: bool>(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    let (small, large) = (shared_array!(u32, 1), shared_array!(u32, 32));
    let start = if BUG { small.as_ptr() } else { large.as_ptr() };
    let t = block.thread();
    // SAFETY: each thread has its own two elements. The bug is the point.
    unsafe {
        let own = start.add(2 * t);
        *own = t as u32; //~ WL0002
        *own.add(1) = 1; //~? WL0002
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = *own ^ *own.add(1); //~? WL0002
        }
    }
}

/// facebookresearch/fairseq#5406: the overhang to the left of the first block is read from before the input.
#[kernel]
fn left_overhang_of_the_first<const BUG: bool>(block: Block, x: &[f32], mut y: DisjointSlice<f32>) {
    let padding = 4;
    let t = block.thread();
    let start = 32 * block.index() + t;
    let inside = start >= padding;
    let mut value = 0.0;
    if BUG || inside {
        // SAFETY: within the input; the bug is intended.
        value = unsafe { *x.as_ptr().wrapping_add(start).wrapping_sub(padding) }; //~ WL0001
    }
    // SAFETY: each thread has its own element.
    unsafe { *y.raw().add(start) = value };
}

/// microsoft/onnxruntime#18780: a thread block dequantises 32 groups, whether or not the matrix has so many.
#[kernel]
fn groups_of_a_small_matrix<const BUG: bool>(i: Index1D, packed: &[u8], mut y: DisjointSlice<u32>) {
    let n = packed.len();
    if BUG || i.get() < n {
        // SAFETY: two elements for each byte; the bug is intended.
        unsafe {
            let byte = u32::from(*packed.as_ptr().add(i.get())); //~ WL0001
            if i.get() < n {
                *y.raw().add(2 * i.get()) = byte & 15;
                *y.raw().add(2 * i.get() + 1) = byte >> 4;
            }
        }
    }
}

/// TheTom/llama-cpp-turboquant#32: each warp takes a block of its own, and with larger blocks there is one for four warps.
#[kernel]
fn block_of_each_warp<const BUG: bool>(
    block: Block,
    warp: Warp,
    x: &[u32],
    mut norms: DisjointSlice<u32>,
) {
    let sum = warp.reduce_sum(x[128 * block.index() + block.thread()]);
    let own = if BUG {
        block.index() + warp.index() as usize
    } else {
        block.index()
    };
    if warp.lane() == 0 && (BUG || warp.index() == 0) {
        // SAFETY: one warp of each block writes its norm; the bug is intended.
        unsafe { *norms.raw().add(own) = sum }; //~ WL0001 //~? WL0112|WL0110
    }
}

/// NVIDIA/TransformerEngine#2346: threads of a dequantisation are not kept to the tensor.
#[kernel]
fn threads_beyond_the_tensor<const BUG: bool>(
    i: Index1D,
    scale: f32,
    x: &[u8],
    mut y: DisjointSlice<f32>,
) {
    if BUG || i.get() < x.len() {
        // SAFETY: each thread has its own element; the bug is intended.
        unsafe { *y.raw().add(i.get()) = scale * f32::from(*x.as_ptr().add(i.get())) }; //~ WL0001
    }
}

/// BBuf/how-to-optim-algorithm-in-cuda#6: the result has one half, and the fast path adds to a pair of them.
#[kernel]
unsafe fn pair_where_there_is_one<const BUG: bool>(i: Index1D, x: &[u32], total: *mut u32) {
    let value = x[i.get()];
    // SAFETY: four bytes for the word, eight for the pair. The bug is the point.
    unsafe {
        if BUG {
            let total = Atomic::<u64>::from_ptr(total.cast());
            total.fetch_add(u64::from(value), Relaxed); //~ WL0001
        } else {
            Atomic::<u32>::from_ptr(total).fetch_add(value, Relaxed);
        }
    }
}

cases!("edges.rs":
    case!(loop_up_to_the_length, "autowarefoundation/autoware#113", |run| {
        let x = floats(40);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<f32>(4)?);
        launch!(run, loop_up_to_the_length, (1, 32), &input, &mut y);
        run.expect(&y, |i| x.iter().skip(i).step_by(4).fold(0.0, |a: f32, v| a.max(*v)))
    }),
    case!(no_count_at_all, "risc0/risc0#3803", |run| {
        let elements = run.upload(&[u32::MAX; 90])?;
        let start = std::ptr::with_exposed_provenance_mut(elements.raw_ptr() as usize);
        // SAFETY: 90 elements that stay allocated until the result is compared; the bug is intended.
        unsafe { launch!(run, no_count_at_all, (2, 64), 90, start) };
        run.expect(&elements, |_| 0)
    }),
    case!(centroid_of_three, "proteneer/timemachine#1214", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(32))?, run.zeroed::<u32>(3)?);
        launch!(run, centroid_of_three, (1, 32), &x, &mut y);
        run.expect(&y, |i| 2 - i as u32)
    }),
    case!(negative_coordinate, "rapidsai/cucim#540", |run| {
        let nearest: Vec<i32> = (0..64).map(|i| if i % 9 == 4 { -3 } else { 63 - i }).collect();
        let image = noise(64);
        let (at, input, mut y) = (run.upload(&nearest)?, run.upload(&image)?, run.zeroed::<u32>(64)?);
        launch!(run, negative_coordinate, (2, 32), &at, &input, &mut y);
        run.expect(&y, |i| if i % 9 == 4 { 0 } else { image[63 - i] })
    }),
    case!(wrong_sign_of_a_row, "GhiXu/ACMP#3", |run| {
        let x = noise(128);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        launch!(run, wrong_sign_of_a_row, (1, 32), 40, &input, &mut y);
        run.expect(&y, |i| x[i + 1].min(x[i + 41]).min(x[i + 81]))
    }),
    case!(bound_of_another_unit, "flashinfer-ai/flashinfer#4525", |run| {
        let sinks = floats(10);
        let (input, mut y) = (run.upload(&sinks)?, run.zeroed::<f32>(16)?);
        launch!(run, bound_of_another_unit, (1, 32), &input, &mut y);
        run.expect(&y, |i| sinks[i.min(9)])
    }),
    case!(pairs_of_neighbours, "torch/cutorch#704", |run| {
        let x: Vec<u32> = (0..64).map(|k| k / 3).collect();
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        launch!(run, pairs_of_neighbours, (1, 32), &input, &mut y);
        run.expect(&y, |t| if t == 31 { 0 } else { u32::from(x[2 * t + 1] != x[2 * t + 2]) })
    }),
    case!(memory_for_one_element, "tracel-ai/cubecl#407", |run| {
        let mut y = run.zeroed::<u32>(16)?;
        launch!(run, memory_for_one_element, (1, 16), &mut y);
        run.expect(&y, |i| i as u32 ^ 1)
    }),
    case!(left_overhang_of_the_first, "facebookresearch/fairseq#5406", |run| {
        let x = floats(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<f32>(64)?);
        launch!(run, left_overhang_of_the_first, (2, 32), &input, &mut y);
        run.expect(&y, |i| if i < 4 { 0.0 } else { x[i - 4] })
    }),
    case!(groups_of_a_small_matrix, "microsoft/onnxruntime#18780", |run| {
        let packed: Vec<u8> = (0..20).map(|k| k * 7).collect();
        let (input, mut y) = (run.upload(&packed)?, run.zeroed::<u32>(40)?);
        launch!(run, groups_of_a_small_matrix, (1, 32), &input, &mut y);
        run.expect(&y, |i| u32::from(packed[i / 2] >> (4 * (i % 2)) & 15))
    }),
    case!(block_of_each_warp, "TheTom/llama-cpp-turboquant#32", |run| {
        let x = noise(256);
        let (input, mut norms) = (run.upload(&x)?, run.zeroed::<u32>(2)?);
        launch!(run, block_of_each_warp, (2, 128), &input, &mut norms);
        run.expect(&norms, |b| x[128 * b..][..32].iter().sum())
    }),
    case!(threads_beyond_the_tensor, "NVIDIA/TransformerEngine#2346", |run| {
        let x: Vec<u8> = count(70);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<f32>(70)?);
        launch!(run, threads_beyond_the_tensor, (3, 32), 0.5, &input, &mut y);
        run.expect(&y, |i| 0.5 * i as f32)
    }),
    case!(pair_where_there_is_one, "BBuf/how-to-optim-algorithm-in-cuda#6", |run| {
        let (x, total) = (run.upload(&count::<u32>(64))?, run.zeroed::<u32>(1)?);
        let start = std::ptr::with_exposed_provenance_mut(total.raw_ptr() as usize);
        // SAFETY: one element that stays allocated until the result is compared; the bug is intended.
        unsafe { launch!(run, pair_where_there_is_one, (2, 32), &x, start) };
        run.expect(&total, |_| 2016)
    }),
);
