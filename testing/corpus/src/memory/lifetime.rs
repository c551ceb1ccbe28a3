//! Memory that was freed, or never is.

use std::alloc::Layout;
use std::hint::black_box;

use warploom::prelude::*;

use crate::case::{case, cases, count, floats, launch};

/// The buffer was dropped before the launch.
#[kernel]
unsafe fn input_dropped<const BUG: bool>(i: Index1D, x: *const u32, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        // SAFETY: an element for each thread, in a buffer that is still allocated; the bug is intended.
        *y = unsafe { *x.add(i.get()) } + 1; //~ WL0010
    }
}

/// The result goes into a buffer that was replaced by another.
#[kernel]
unsafe fn output_replaced<const BUG: bool>(i: Index1D, x: &[f32], y: *mut f32) {
    if i.get() < x.len() {
        // SAFETY: an element for each thread, in a buffer that is still allocated; the bug is intended.
        unsafe { *y.add(i.get()) = 0.5 * x[i.get()] }; //~ WL0010
    }
}

/// A box that is read after it was dropped.
#[kernel]
fn box_read_late<const BUG: bool>(i: Index1D, mut y: DisjointSlice<u64>) {
    let own = black_box(Box::into_raw(Box::new(i.get() as u64)));
    // SAFETY: from a box, and dropped once, after it was read. The bug is the point.
    unsafe {
        if BUG {
            drop(Box::from_raw(own)); //~ WL0010 second
        }
        let value = *black_box(own); //~ WL0010 first
        if !BUG {
            drop(Box::from_raw(own));
        }
        if let Some(y) = y.get_mut(i) {
            *y = value;
        }
    }
}

/// The address of a vector's first element, from before the vector grew.
#[kernel]
fn vector_grew<const BUG: bool>(i: Index1D, mut y: DisjointSlice<u32>) {
    let mut own = Vec::with_capacity(2);
    own.push(i.get() as u32);
    let before = black_box(own.as_ptr());
    for k in 0..40 {
        own.push(k);
    }
    let first = if BUG { before } else { own.as_ptr() };
    // SAFETY: the vector's first element; the bug is intended.
    let value = unsafe { *black_box(first) }; //~ WL0010
    if let Some(y) = y.get_mut(i) {
        *y = value + own.len() as u32;
    }
}

/// Thread 0 frees what the others still read.
#[kernel]
fn freed_by_another<const BUG: bool>(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    let address = shared_array!(u64, 1);
    // SAFETY: a barrier between writing and reading, another before the box is dropped, once. The bug is the point.
    unsafe {
        if block.thread() == 0 {
            let own = Box::into_raw(Box::new([block.index() as u32 + 5; 4]));
            address.set(0, own.expose_provenance() as u64);
        }
        block.sync();
        let common = std::ptr::with_exposed_provenance_mut::<[u32; 4]>(address.get(0) as usize);
        let early = BUG && block.thread() == 0;
        if early {
            drop(Box::from_raw(common)); //~ WL0010 second
        } else if let Some(y) = y.get_mut(i) {
            *y = (*common)[block.thread() % 4]; //~ WL0010 first
        }
        block.sync();
        if !BUG && block.thread() == 0 {
            drop(Box::from_raw(common));
        }
    }
}

/// A thread that comes late in most orders frees what the others have read, mostly, by then.
#[kernel]
fn freed_without_barrier<const BUG: bool>(block: Block, i: Index1D, mut y: DisjointSlice<u32>) {
    let address = shared_array!(u64, 1);
    let t = block.thread();
    // SAFETY: a barrier between writing and reading, another before the box is dropped, once. The bug is the point.
    unsafe {
        if t == 0 {
            let own = Box::into_raw(Box::new([block.index() as u32 + 3; 4]));
            address.set(0, own.expose_provenance() as u64);
        }
        block.sync();
        let common = std::ptr::with_exposed_provenance_mut::<[u32; 4]>(address.get(0) as usize);
        if let Some(y) = y.get_mut(i) {
            *y = (*common)[t % 4]; //~ WL0010 second
        }
        if !BUG {
            block.sync();
        }
        if t == 31 {
            drop(Box::from_raw(common)); //~ WL0010 first
        }
    }
}

/// A box that is dropped twice.
#[kernel]
fn dropped_twice<const BUG: bool>(i: Index1D, mut y: DisjointSlice<u32>) {
    let own = black_box(Box::into_raw(Box::new(i.get() as u32)));
    // SAFETY: from a box; dropped once. The bug is the point.
    unsafe {
        if let Some(y) = y.get_mut(i) {
            *y = *own;
        }
        drop(Box::from_raw(own)); //~ WL0011 second
        if BUG {
            drop(Box::from_raw(black_box(own))); //~ WL0011 first
        }
    }
}

/// The address that is freed is not the one that was given.
#[kernel]
fn freed_in_the_middle<const BUG: bool>(i: Index1D, mut y: DisjointSlice<u64>) {
    let layout = Layout::new::<[u64; 4]>();
    // SAFETY: 32 bytes that are written, read, and freed once, with the same layout. The bug is the point.
    unsafe {
        let own = black_box(std::alloc::alloc(layout).cast::<u64>());
        if own.is_null() {
            return;
        }
        own.add(1).write(i.get() as u64);
        if let Some(y) = y.get_mut(i) {
            *y = own.add(1).read();
        }
        let start = if BUG { own.add(1) } else { own };
        std::alloc::dealloc(black_box(start).cast(), layout); //~ WL0011
    }
}

/// Part of a buffer is freed as if it were of the heap.
#[kernel]
fn buffer_freed<const BUG: bool>(i: Index1D, mut y: DisjointSlice<u32>) {
    let at = y.raw().wrapping_add(4 * i.get());
    // SAFETY: each thread has four elements; what is freed came from the heap. The bug is the point.
    unsafe {
        *at = i.get() as u32;
        let own = black_box(Box::into_raw(Box::new([*at; 4])));
        drop(Box::from_raw(own));
        if BUG {
            drop(Box::from_raw(black_box(at.cast::<[u32; 4]>()))); //~ WL0011
        }
    }
}

/// A box that is forgotten.
#[kernel]
fn box_forgotten<const BUG: bool>(i: Index1D, mut y: DisjointSlice<u32>) {
    let own = black_box(Box::new([i.get() as u32; 8])); //~ WL0012
    if let Some(y) = y.get_mut(i) {
        *y = own[3];
    }
    if BUG {
        std::mem::forget(own);
    }
}

/// A vector that one way through the kernel does not give back.
#[kernel]
fn leak_on_one_way<const BUG: bool>(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let mut own = Vec::with_capacity(8); //~ WL0012
    own.extend(black_box([1, 2, i.get() as u32]));
    let (start, len, capacity) = (own.as_mut_ptr(), own.len(), own.capacity());
    std::mem::forget(own);
    let v = x[i.get()];
    // SAFETY: the parts of a vector that was forgotten.
    let own = unsafe { Vec::from_raw_parts(start, len, capacity) };
    if let Some(y) = y.get_mut(i) {
        *y = own[2] + v;
    }
    if BUG && v.is_multiple_of(3) {
        std::mem::forget(own);
    }
}

/// A vector that grows, and is forgotten: std allocates in a function of its own.
#[kernel]
fn grown_and_forgotten<const BUG: bool>(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let mut own = Vec::new();
    for k in 0..x[i.get()] % 8 {
        own.push(black_box(k)); //~ WL0012
    }
    if let Some(y) = y.get_mut(i) {
        *y = own.iter().sum();
    }
    if BUG {
        std::mem::forget(own);
    }
}

cases!("lifetime.rs":
    case!(input_dropped, "", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(64))?, run.zeroed::<u32>(64)?);
        let from = std::ptr::with_exposed_provenance(x.raw_ptr() as usize);
        let kept = (!run.bug).then_some(x);
        // SAFETY: a buffer that stays allocated until the result is compared; the bug is intended.
        unsafe { launch!(run, input_dropped, (2, 32), from, &mut y) };
        let result = run.expect(&y, |i| i as u32 + 1);
        drop(kept);
        result
    }),
    case!(output_replaced, "", |run| {
        let (x, mut y) = (run.upload(&floats(96))?, run.zeroed::<f32>(96)?);
        let mut to = std::ptr::with_exposed_provenance_mut(y.raw_ptr() as usize);
        y = run.zeroed::<f32>(96)?;
        if !run.bug {
            to = std::ptr::with_exposed_provenance_mut(y.raw_ptr() as usize);
        }
        // SAFETY: a buffer that stays allocated until the result is compared; the bug is intended.
        unsafe { launch!(run, output_replaced, (1, 128), &x, to) };
        run.expect(&y, |i| 0.5 * floats(96)[i])
    }),
    case!(box_read_late, "heap", |run| {
        let mut y = run.zeroed::<u64>(40)?;
        launch!(run, box_read_late, (1, 40), &mut y);
        run.expect(&y, |i| i as u64)
    }),
    case!(vector_grew, "heap", |run| {
        let mut y = run.zeroed::<u32>(40)?;
        launch!(run, vector_grew, (1, 40), &mut y);
        run.expect(&y, |i| i as u32 + 41)
    }),
    case!(freed_by_another, "heap", |run| {
        let mut y = run.zeroed::<u32>(128)?;
        launch!(run, freed_by_another, (2, 64), &mut y);
        run.expect(&y, |i| i as u32 / 64 + 5)
    }),
    case!(freed_without_barrier, "heap", |run| {
        let mut y = run.zeroed::<u32>(128)?;
        launch!(run, freed_without_barrier, (2, 64), &mut y);
        run.expect(&y, |i| i as u32 / 64 + 3)
    }),
    case!(dropped_twice, "heap", |run| {
        let mut y = run.zeroed::<u32>(33)?;
        launch!(run, dropped_twice, (1, 33), &mut y);
        run.expect(&y, |i| i as u32)
    }),
    case!(freed_in_the_middle, "heap", |run| {
        let mut y = run.zeroed::<u64>(33)?;
        launch!(run, freed_in_the_middle, (1, 33), &mut y);
        run.expect(&y, |i| i as u64)
    }),
    case!(buffer_freed, "heap", |run| {
        let mut y = run.zeroed::<u32>(128)?;
        launch!(run, buffer_freed, (1, 32), &mut y);
        run.expect(&y, |i| if i % 4 == 0 { i as u32 / 4 } else { 0 })
    }),
    case!(box_forgotten, "P-11 heap", |run| {
        let mut y = run.zeroed::<u32>(40)?;
        launch!(run, box_forgotten, (1, 40), &mut y);
        run.expect(&y, |i| i as u32)
    }),
    case!(leak_on_one_way, "P-11 heap", |run| {
        let (x, mut y) = (run.upload(&count::<u32>(50))?, run.zeroed::<u32>(50)?);
        launch!(run, leak_on_one_way, (1, 50), &x, &mut y);
        run.expect(&y, |i| 2 * i as u32)
    }),
    case!(grown_and_forgotten, "P-11", |run| {
        let x = count::<u32>(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(64)?);
        launch!(run, grown_and_forgotten, (2, 32), &input, &mut y);
        run.expect(&y, |i| (0..x[i] % 8).sum())
    }),
);
