//! Memory that is not the kernel's to access, or not to write: other threads' variables, the host's memory, constants.

use std::hint::black_box;

use warploom::prelude::*;

use crate::case::{case, cases, count, launch};

/// Each thread reads its neighbour's local variable, whose address came through shared memory.
#[kernel]
fn variable_of_another<const BUG: bool>(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    let addresses = shared_array!(u64, 64);
    let values = shared_array!(u32, 64);
    let t = block.thread();
    let own = black_box([t as u32 * 3; 2]);
    // SAFETY: a barrier between writing and reading; no thread reads through another thread's address. The bug is the point.
    unsafe {
        addresses.set(t, own.as_ptr().expose_provenance() as u64);
        values.set(t, own[1]);
        block.sync();
        let next = (t + 1) % 64;
        let other = std::ptr::with_exposed_provenance::<u32>(addresses.get(next) as usize);
        let value = if BUG {
            *other.add(1) //~ WL0003
        } else {
            values.get(next)
        };
        block.sync();
        if let Some(y) = y.get_mut(i) {
            *y = value;
        }
    }
    black_box(&own);
}

/// Lane 0 has the others write into its own array.
#[kernel]
fn written_by_others<const BUG: bool>(warp: Warp, i: Index1D, mut y: DisjointSlice<u32>) {
    let mut own = black_box([7u32; 32]);
    let lane = warp.lane();
    let address = warp.shuffle_idx(own.as_mut_ptr().expose_provenance() as u64, 0);
    let start = std::ptr::with_exposed_provenance_mut::<u32>(address as usize);
    if BUG && lane > 0 {
        // SAFETY: the bug is intended.
        unsafe { *start.add(lane as usize) = lane }; //~ WL0003
    }
    warp.sync();
    let sum = if BUG {
        black_box(own)[1]
    } else {
        warp.shuffle_idx(lane, 1)
    };
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

/// A buffer of the host is passed as if it were the device's.
#[kernel]
unsafe fn input_of_the_host<const BUG: bool>(i: Index1D, x: *const u32, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        // SAFETY: an element for each thread, in device memory; the bug is intended.
        *y = unsafe { *x.add(i.get()) } + 1; //~ WL0005
    }
}

/// A kernel that returns its result through the address of a variable of the host.
#[kernel]
unsafe fn result_on_the_host<const BUG: bool>(a: i32, b: i32, sum: *mut i32) {
    // SAFETY: one thread writes to device memory; the bug is intended.
    unsafe { *sum = a + b }; //~ WL0005
}

constant_static! {
    static WEIGHTS: [u32; 4] = [1, 2, 4, 8];
}

/// A table in constant memory is changed.
#[kernel]
fn constant_changed<const BUG: bool>(i: Index1D, mut y: DisjointSlice<u32>) {
    let at = i.get() % 4;
    let weight = WEIGHTS[at];
    if BUG {
        let entry = black_box((&raw const WEIGHTS[at]).cast_mut());
        // SAFETY: the bug is intended.
        unsafe { *entry = 16 * weight }; //~ WL0006
    }
    if let Some(y) = y.get_mut(i) {
        *y = 16 * weight;
    }
}

/// A parameter that all threads read at one place is changed.
#[kernel]
fn parameter_changed<const BUG: bool>(
    i: Index1D,
    table: GridConst<[u32; 8]>,
    mut y: DisjointSlice<u32>,
) {
    let at = i.get() % 8;
    let value = table[at];
    if BUG {
        let entry = black_box((&raw const table.get()[at]).cast_mut());
        // SAFETY: the bug is intended.
        unsafe { *entry = value + 1 }; //~ WL0006
    }
    if let Some(y) = y.get_mut(i) {
        *y = value + 1;
    }
}

/// A constant of the program is changed.
static PRIMES: [u32; 8] = [2, 3, 5, 7, 11, 13, 17, 19];

#[kernel]
fn program_constant_changed<const BUG: bool>(i: Index1D, mut y: DisjointSlice<u32>) {
    let entry = black_box((&raw const PRIMES[i.get() % 8]).cast_mut());
    // SAFETY: an element of the table; the bug is intended.
    let value = unsafe { *entry };
    if BUG {
        // SAFETY: the bug is intended.
        unsafe { *entry = value * value }; //~ WL0006
    }
    if let Some(y) = y.get_mut(i) {
        *y = value * value;
    }
}

cases!("local.rs":
    case!(variable_of_another, "", |run| {
        let mut y = run.zeroed::<u32>(128)?;
        launch!(run, variable_of_another, (2, 64), &mut y);
        run.expect(&y, |i| (i as u32 + 1) % 64 * 3)
    }),
    case!(written_by_others, "", |run| {
        let mut y = run.zeroed::<u32>(64)?;
        launch!(run, written_by_others, (1, 64), &mut y);
        run.expect(&y, |_| 1)
    }),
    case!(input_of_the_host, "P-07", |run| {
        let host = count::<u32>(96);
        let (x, mut y) = (run.upload(&host)?, run.zeroed::<u32>(96)?);
        let there = std::ptr::with_exposed_provenance(x.raw_ptr() as usize);
        let from = if run.bug { host.as_ptr() } else { there };
        // SAFETY: 96 elements of a buffer that stays allocated until the result is compared; the bug is intended.
        unsafe { launch!(run, input_of_the_host, (3, 32), from, &mut y) };
        run.expect(&y, |i| i as u32 + 1)
    }),
    case!(result_on_the_host, "P-07", |run| {
        let (mut host, sum) = (Box::new(-5), run.upload(&[-5])?);
        let there = std::ptr::with_exposed_provenance_mut(sum.raw_ptr() as usize);
        let to = if run.bug { &raw mut *host } else { there };
        // SAFETY: one element of a buffer that stays allocated until the result is compared; the bug is intended.
        unsafe { launch!(run, result_on_the_host, (1, 1), 2, 3, to) };
        run.expect(&sum, |_| 5)
    }),
    case!(constant_changed, "", |run| {
        let mut y = run.zeroed::<u32>(40)?;
        launch!(run, constant_changed, (1, 40), &mut y);
        run.expect(&y, |i| 16 << (i % 4))
    }),
    case!(parameter_changed, "", |run| {
        let mut y = run.zeroed::<u32>(40)?;
        launch!(run, parameter_changed, (1, 40), [1, 2, 3, 4, 5, 6, 7, 8], &mut y);
        run.expect(&y, |i| i as u32 % 8 + 2)
    }),
    case!(program_constant_changed, "", |run| {
        let mut y = run.zeroed::<u32>(40)?;
        launch!(run, program_constant_changed, (1, 40), &mut y);
        run.expect(&y, |i| PRIMES[i % 8].pow(2))
    }),
);
