//! Numerics: factorisations, transforms, filters and norms in shared memory, and what goes from launch to launch.

use warploom::device_std::atomic::{Atomic, Relaxed};
use warploom::prelude::*;

use crate::case::{cases, correct, doubles, floats, noise, start};

/// Elimination in a shared matrix, a column at a time.
#[kernel(block(6, 6))]
fn elimination(x: &[f64], mut y: DisjointSlice<f64>) {
    let a = shared_array!(f64, 36);
    let (column, row) = (thread_idx().x as usize, thread_idx().y as usize);
    let own = 6 * row + column;
    // SAFETY: in a step the rows and columns behind the pivot are written by their threads, the pivot's only read; barriers between.
    unsafe {
        a.set(own, x[own]);
        sync_threads();
        for k in 0..5 {
            let factor = a.get(6 * row + k) / a.get(7 * k);
            sync_threads();
            if row > k && column > k {
                a.set(own, a.get(own) - factor * a.get(6 * k + column));
            }
            sync_threads();
        }
        *y.raw().add(own) = a.get(own);
    }
}

/// A transform whose stages exchange pairs at doubling distances.
#[kernel]
fn stages_of_a_transform(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let data = shared_array!(u32, 64);
    let t = block.thread();
    // SAFETY: barriers between reading and writing.
    unsafe {
        data.set(t, x[i.get()]);
        block.sync();
        let mut distance = 1;
        while distance < 64 {
            let (own, other) = (data.get(t), data.get(t ^ distance));
            block.sync();
            let sum = own.wrapping_add(other);
            let difference = other.wrapping_sub(own);
            data.set(t, if t & distance == 0 { sum } else { difference });
            block.sync();
            distance *= 2;
        }
        if let Some(y) = y.get_mut(i) {
            *y = data.get(t);
        }
    }
}

/// The same with one barrier for each stage, as a thread has both elements of its pair.
#[kernel]
fn both_elements_of_a_pair(block: Block, x: &[u32], mut y: DisjointSlice<u32>) {
    let data = shared_array!(u32, 64);
    let t = block.thread();
    // SAFETY: each pair has one thread; barriers between the stages.
    unsafe {
        data.set(t, x[t]);
        data.set(32 + t, x[32 + t]);
        let mut distance = 1;
        while distance < 64 {
            block.sync();
            let low = t / distance * 2 * distance + t % distance;
            let (a, b) = (data.get(low), data.get(low + distance));
            data.set(low, a.wrapping_add(b));
            data.set(low + distance, a.wrapping_sub(b));
            distance *= 2;
        }
        block.sync();
        *y.raw().add(t) = data.get(t);
        *y.raw().add(32 + t) = data.get(32 + t);
    }
}

/// A triangular system: each round one thread has the next unknown, which the others take off.
#[kernel]
fn triangular_system(block: Block, n: u32, a: &[u32], b: &[u32], mut y: DisjointSlice<u32>) {
    let (rest, unknown) = (shared_array!(u32, 32), shared_array!(u32, 1));
    let (t, n) = (block.thread(), n as usize);
    // SAFETY: barriers around the store of each unknown; each thread has its own rest.
    unsafe {
        rest.set(t, b[t]);
        for k in 0..n {
            if t == k {
                unknown.set(0, rest.get(t));
                *y.raw().add(t) = rest.get(t);
            }
            block.sync();
            if t > k {
                let product = a[n * t + k].wrapping_mul(unknown.get(0));
                rest.set(t, rest.get(t).wrapping_sub(product));
            }
            block.sync();
        }
    }
}

/// A filter along a row whose window slides: elements leave and come by one.
#[kernel]
fn sliding_window(block: Block, i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let window = shared_array!(u32, 64);
    let t = block.thread();
    let first = 32 * block.index();
    // SAFETY: two elements for each thread, a barrier before others read.
    unsafe {
        window.set(t, x[first + t]);
        window.set(32 + t, x[first + 32 + t]);
        block.sync();
        let mut most = 0;
        for k in 0..32 {
            most = window.get(t + k).max(most);
        }
        if let Some(y) = y.get_mut(i) {
            *y = most;
        }
    }
}

/// A norm in two launches: sums of blocks, then the sum of these.
#[kernel]
unsafe fn norm_in_two_launches(block: Block, n: u32, from: *const f64, to: *mut f64) {
    let t = block.thread();
    let at = block.threads() * block.index() + t;
    // SAFETY: elements below `n`; one element of the result for each block.
    unsafe {
        let own = if at < n as usize { *from.add(at) } else { 0.0 };
        let sum = block.reduce(own, |a, b| a + b);
        if t == 0 {
            *to.add(block.index()) = sum;
        }
    }
}

/// Averages of neighbours from one buffer to the other and back, a launch for each step.
#[kernel]
unsafe fn step_from_buffer_to_buffer(i: Index1D, n: u32, from: *const f32, to: *mut f32) {
    let (at, n) = (i.get(), n as usize);
    if at < n {
        // SAFETY: `n` elements in each; a thread writes its own.
        unsafe { *to.add(at) = (*from.add((at + 1) % n)).max(*from.add((at + n - 1) % n)) };
    }
}

/// Each thread goes along a column, in place, where no other thread goes.
#[kernel]
fn columns_in_place(i: Index1D, height: u32, mut data: DisjointSlice<u32>) {
    let (column, data) = (i.get(), data.raw());
    // SAFETY: each thread has its own column.
    unsafe {
        for row in 1..height as usize {
            *data.add(40 * row + column) += *data.add(40 * (row - 1) + column);
        }
    }
}

/// A pyramid: each level has half of the one before, in the same array behind it.
#[kernel]
fn levels_of_a_pyramid(block: Block, x: &[u32], mut y: DisjointSlice<u32>) {
    let pyramid = shared_array!(u32, 127);
    let t = block.thread();
    // SAFETY: a level is written before a barrier and read after it.
    unsafe {
        pyramid.set(t, x[t]);
        let (mut from, mut width) = (0, 64);
        while width > 1 {
            block.sync();
            let to = from + width;
            width /= 2;
            if t < width {
                pyramid.set(
                    to + t,
                    pyramid.get(from + 2 * t).max(pyramid.get(from + 2 * t + 1)),
                );
            }
            from = to;
        }
        block.sync();
        for k in (t..127).step_by(64) {
            *y.raw().add(k) = pyramid.get(k);
        }
    }
}

/// An inner product of halves: the block's sum, and an atomic addition for each block.
#[kernel]
fn inner_product(block: Block, i: Index1D, a: &[u32], b: &[u32], total: &[Atomic<u32>]) {
    let mut sum = 0;
    for k in (i.get()..a.len()).step_by(i.count()) {
        sum += a[k] * b[k];
    }
    let sum = block.reduce_sum(sum);
    if block.leader().is_some() {
        total[0].fetch_add(sum, Relaxed);
    }
}

/// An array of each thread, walked by an index that the data gives.
#[kernel]
fn counts_of_each_thread(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let mut counts = [0_u32; 8];
    for k in 0..16 {
        counts[x[(i.get() + k) % x.len()] as usize % 8] += 1;
    }
    if let Some(y) = y.get_mut(i) {
        *y = counts
            .iter()
            .zip(1..)
            .map(|(count, weight)| count * weight)
            .sum();
    }
}

/// Four elements at a time where the address allows it, one at a time before and behind.
#[kernel]
fn four_where_aligned(x: &[u32], mut y: DisjointSlice<u32>, i: Index1D) {
    let (n, from, to) = (x.len(), x.as_ptr(), y.raw());
    let at = 4 * i.get();
    // SAFETY: within both; buffers start at multiples of 256 bytes; each thread has its own four elements.
    unsafe {
        if at + 4 <= n {
            *to.add(at).cast::<u128>() = *from.add(at).cast::<u128>();
        } else {
            for k in at..n {
                *to.add(k) = *from.add(k);
            }
        }
    }
}

cases!("numbers.rs":
    correct!(elimination, |run| {
        let mut a: Vec<f64> = doubles(36);
        for k in 0..6 {
            a[7 * k] = 1024.0;
        }
        let (input, mut y) = (run.upload(&a)?, run.zeroed::<f64>(36)?);
        start!(run, elimination, Launch::new(1, (6, 6)), &input, &mut y);
        for k in 0..5 {
            for row in k + 1..6 {
                let factor = a[6 * row + k] / a[7 * k];
                for column in k + 1..6 {
                    a[6 * row + column] -= factor * a[6 * k + column];
                }
            }
        }
        run.expect(&y, |own| a[own])
    }),
    correct!(stages_of_a_transform, |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        start!(run, stages_of_a_transform, (1, 64), &input, &mut y);
        run.expect(&y, |i| transformed(&x, i))
    }),
    correct!(both_elements_of_a_pair, |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        start!(run, both_elements_of_a_pair, (1, 32), &input, &mut y);
        run.expect(&y, |i| transformed(&x, i))
    }),
    correct!(triangular_system, |run| {
        let (a, b) = (noise(1024), noise(32));
        let (left, right, mut y) = (run.upload(&a)?, run.upload(&b)?, run.zeroed::<u32>(32)?);
        start!(run, triangular_system, (1, 32), 32, &left, &right, &mut y);
        let mut unknowns = b;
        for k in 0..32 {
            for t in k + 1..32 {
                unknowns[t] = unknowns[t].wrapping_sub(a[32 * t + k].wrapping_mul(unknowns[k]));
            }
        }
        run.expect(&y, |t| unknowns[t])
    }),
    correct!(sliding_window, |run| {
        let x = noise(96);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        start!(run, sliding_window, (2, 32), &input, &mut y);
        run.expect(&y, |i| x[i..i + 32].iter().max().copied().unwrap_or(0))
    }),
    correct!(norm_in_two_launches, |run| {
        let x = doubles(200);
        let (input, parts, y) = (run.upload(&x)?, run.zeroed::<f64>(4)?, run.zeroed::<f64>(1)?);
        let start = std::ptr::with_exposed_provenance(input.raw_ptr() as usize);
        let middle = std::ptr::with_exposed_provenance_mut(parts.raw_ptr() as usize);
        let end = std::ptr::with_exposed_provenance_mut(y.raw_ptr() as usize);
        // SAFETY: buffers of the sizes that are named, which stay allocated until the result is compared.
        unsafe {
            start!(run, norm_in_two_launches, (4, 64), 200, start, middle);
            start!(run, norm_in_two_launches, (1, 64), 4, middle.cast_const(), end);
        }
        run.expect(&y, |_| x.iter().sum())
    }),
    correct!(step_from_buffer_to_buffer, |run| {
        let mut x = floats(80);
        let (a, b) = (run.upload(&x)?, run.zeroed::<f32>(80)?);
        let (one, two) = (a.raw_ptr() as usize, b.raw_ptr() as usize);
        for (from, to) in [(one, two), (two, one), (one, two), (two, one)] {
            let from = std::ptr::with_exposed_provenance(from);
            let to = std::ptr::with_exposed_provenance_mut(to);
            // SAFETY: both buffers have 80 elements and stay allocated until the result is compared.
            unsafe { start!(run, step_from_buffer_to_buffer, (3, 32), 80, from, to) };
            x = (0..80).map(|i| x[(i + 1) % 80].max(x[(i + 79) % 80])).collect();
        }
        run.expect(&a, |i| x[i])
    }),
    correct!(columns_in_place, |run| {
        let x = noise(400);
        let mut data = run.upload(&x)?;
        start!(run, columns_in_place, (2, 20), 10, &mut data);
        run.expect(&data, |i| (i % 40..=i).step_by(40).map(|k| x[k]).sum())
    }),
    correct!(levels_of_a_pyramid, |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(127)?);
        start!(run, levels_of_a_pyramid, (1, 64), &input, &mut y);
        let mut pyramid = x;
        let (mut from, mut width) = (0, 64);
        while width > 1 {
            for t in 0..width / 2 {
                pyramid.push(pyramid[from + 2 * t].max(pyramid[from + 2 * t + 1]));
            }
            (from, width) = (from + width, width / 2);
        }
        run.expect(&y, |k| pyramid[k])
    }),
    correct!(inner_product, |run| {
        let (a, b) = (noise(300), noise(300));
        let (left, right, mut total) = (run.upload(&a)?, run.upload(&b)?, run.zeroed::<u32>(1)?);
        start!(run, inner_product, (2, 64), &left, &right, total.as_atomics());
        run.expect(&total, |_| a.iter().zip(&b).map(|(a, b)| a * b).sum())
    }),
    correct!(counts_of_each_thread, |run| {
        let x = noise(50);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(50)?);
        start!(run, counts_of_each_thread, (1, 64), &input, &mut y);
        run.expect(&y, |i| (0..16).map(|k| x[(i + k) % 50] % 8 + 1).sum())
    }),
    correct!(four_where_aligned, |run| {
        let x = noise(103);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(103)?);
        start!(run, four_where_aligned, (1, 32), &input, &mut y);
        run.expect(&y, |i| x[i])
    }),
);

/// Element `i` of the Walsh-Hadamard transform of `x`.
fn transformed(x: &[u32], i: usize) -> u32 {
    x.iter().enumerate().fold(0, |sum: u32, (k, v)| {
        if (i & k).count_ones().is_multiple_of(2) {
            sum.wrapping_add(*v)
        } else {
            sum.wrapping_sub(*v)
        }
    })
}
