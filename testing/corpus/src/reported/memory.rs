//! Memory of the host, leaks, and accesses that are slow.

use std::hint::black_box;

use warploom::prelude::*;

use crate::case::{case, cases, count, floats, launch, noise};

/// deepmodeling/abacus-develop#6862: the eigenvalues are passed as the host has them, not as their copy on the device.
#[kernel]
unsafe fn eigenvalues_of_the_host<const BUG: bool>(
    i: Index1D,
    factors: *const f64,
    mut y: DisjointSlice<f64>,
) {
    if let Some(y) = y.get_mut(i) {
        // SAFETY: an element for each thread, in memory of the device. The bug is the point.
        *y *= unsafe { *factors.add(i.get()) }; //~ WL0005
    }
}

/// kokkos/kokkos#7136: the result goes to memory of `malloc`.
#[kernel]
unsafe fn result_into_malloc<const BUG: bool>(i: Index1D, x: &[u32], y: *mut u32) {
    if i.get() < x.len() {
        // SAFETY: an element for each thread, in memory of the device. The bug is the point.
        unsafe { *y.add(i.get()) = x[i.get()] + 1 }; //~ WL0005
    }
}

/// llnl/RAJA#799: the loop's body reads a field of an object on the host's stack.
#[kernel]
unsafe fn field_of_a_host_object<const BUG: bool>(
    i: Index1D,
    object: *const [u32; 4],
    value: u32,
    mut y: DisjointSlice<u32>,
) {
    if let Some(y) = y.get_mut(i) {
        *y = if BUG {
            // SAFETY: the bug is intended.
            unsafe { (*object)[2] } //~ WL0005
        } else {
            value
        };
    }
}

/// NVIDIA/cuda-quantum#2926: a device function returns a vector, and its caller does not free what is in it.
#[kernel]
fn vector_of_a_device_function<const BUG: bool>(i: Index1D, mut y: DisjointSlice<u32>) {
    let values = measured(i.get() as u32);
    if let Some(y) = y.get_mut(i) {
        *y = values.iter().sum();
    }
    if BUG {
        std::mem::forget(values);
    }
}

#[inline(always)]
fn measured(first: u32) -> Vec<u32> {
    let mut values = Vec::with_capacity(4); //~ WL0012
    values.extend(black_box([first, 1, 2]));
    values
}

/// deepspeedai/DeepSpeed#8055: the tile has a column of padding, which the indices do not skip.
#[kernel(block(32, 4))]
fn padding_not_used<const BUG: bool>(x: &[f32], mut y: DisjointSlice<f32>) {
    let tile = shared_array!(f32, 1056);
    let (column, first) = (thread_idx().x as usize, thread_idx().y as usize);
    let pitch = if BUG { 32 } else { 33 };
    // SAFETY: each thread writes its own elements; a barrier before others read.
    unsafe {
        for row in (first..32).step_by(4) {
            tile.set(pitch * row + column, x[32 * row + column]);
        }
        sync_threads();
        for row in (first..32).step_by(4) {
            let value = tile.get(pitch * column + row); //~ WL0501
            *y.raw().add(32 * row + column) = value;
        }
    }
}

/// xlite-dev/LeetCUDA#334: neighbouring threads write columns of the transposed matrix, 32 elements apart.
#[kernel(dim(2))]
fn columns_by_neighbours<const BUG: bool>(x: &[u32], mut y: DisjointSlice<u32>) {
    let (column, row) = (thread_idx().x as usize, thread_idx().y as usize);
    let (from, to) = if BUG {
        (32 * row + column, 32 * column + row)
    } else {
        (32 * row + column, 32 * row + column)
    };
    // SAFETY: each thread has its own element.
    unsafe { *y.raw().add(to) = x[from] + 1 }; //~ WL0500
}

cases!("memory.rs":
    case!(eigenvalues_of_the_host, "deepmodeling/abacus-develop#6862", |run| {
        let values = Vec::from_iter(noise(32).into_iter().map(f64::from));
        let (device, mut y) = (run.upload(&values)?, run.upload(&[2.0_f64; 32])?);
        let of_device = std::ptr::with_exposed_provenance(device.raw_ptr() as usize);
        let factors = run.pick(values.as_ptr(), of_device);
        // SAFETY: 32 elements that stay allocated until the result is compared; the bug is intended.
        unsafe { launch!(run, eigenvalues_of_the_host, (1, 32), factors, &mut y) };
        run.expect(&y, |i| 2.0 * values[i])
    }),
    case!(result_into_malloc, "kokkos/kokkos#7136", |run| {
        let mut host = vec![0_u32; 32];
        let (x, y) = (run.upload(&count::<u32>(32))?, run.zeroed::<u32>(32)?);
        let of_device = std::ptr::with_exposed_provenance_mut(y.raw_ptr() as usize);
        let to = run.pick(host.as_mut_ptr(), of_device);
        // SAFETY: 32 elements that stay allocated until the result is compared; the bug is intended.
        unsafe { launch!(run, result_into_malloc, (1, 32), &x, to) };
        run.expect(&y, |i| i as u32 + 1)
    }),
    case!(field_of_a_host_object, "llnl/RAJA#799", |run| {
        let (object, mut y) = ([4_u32, 5, 6, 7], run.zeroed::<u32>(32)?);
        // SAFETY: the object stays allocated until the result is compared; the bug is intended.
        unsafe { launch!(run, field_of_a_host_object, (1, 32), &raw const object, 6, &mut y) };
        run.expect(&y, |_| 6)
    }),
    case!(vector_of_a_device_function, "NVIDIA/cuda-quantum#2926", |run| {
        let mut y = run.zeroed::<u32>(40)?;
        launch!(run, vector_of_a_device_function, (1, 40), &mut y);
        run.expect(&y, |i| i as u32 + 3)
    }),
    case!(padding_not_used, "deepspeedai/DeepSpeed#8055", |run| {
        let x = floats(1024);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<f32>(1024)?);
        launch!(run, padding_not_used, Launch::new(1, (32, 4)), &input, &mut y);
        run.expect(&y, |i| x[i % 32 * 32 + i / 32])
    }),
    case!(columns_by_neighbours, "xlite-dev/LeetCUDA#334", |run| {
        let x = count::<u32>(1024);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(1024)?);
        launch!(run, columns_by_neighbours, Launch::new(1, (32, 32)), &input, &mut y);
        run.expect(&y, |i| if run.bug { x[i % 32 * 32 + i / 32] + 1 } else { x[i] + 1 })
    }),
);
