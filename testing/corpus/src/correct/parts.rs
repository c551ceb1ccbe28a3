//! Parts of a buffer, and what leads to the rest of it.

use warploom::prelude::*;

use crate::case::{cases, correct, noise, start};

/// A slice of the first half, and the address of all of it.
#[kernel]
unsafe fn part_and_address(i: Index1D, half: &[u32], all: *const u32, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        // SAFETY: the buffer has twice as many elements as the slice.
        *y = half[i.get()] + unsafe { *all.add(half.len() + i.get()) };
    }
}

/// Two halves, of which the first is read across its end: the second begins there, and both are the kernel's.
#[kernel]
fn halves_side_by_side(i: Index1D, first: &[u32], second: &[u32], mut y: DisjointSlice<u32>) {
    let whole = first.as_ptr();
    if let Some(y) = y.get_mut(i) {
        // SAFETY: the second half lies behind the first.
        *y = unsafe { *whole.add(i.get() + 1) } + second[i.get()];
    }
}

/// A slice of the first half, and a table with the address of the second.
#[kernel]
fn part_and_table(i: Index1D, half: &[u32], table: &[u64], mut y: DisjointSlice<u32>) {
    let second = std::ptr::with_exposed_provenance::<u32>(table[0] as usize);
    if let Some(y) = y.get_mut(i) {
        // SAFETY: the address of as many elements.
        *y = half[i.get()] + unsafe { *second.add(i.get()) };
    }
}

cases!("parts.rs":
    correct!(part_and_address, |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        let all = std::ptr::with_exposed_provenance(input.raw_ptr() as usize);
        // SAFETY: the address of a buffer that stays until the result is compared.
        unsafe { start!(run, part_and_address, (1, 32), input.slice(..32)?, all, &mut y) };
        run.expect(&y, |i| x[i] + x[32 + i])
    }),
    correct!(halves_side_by_side, |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        start!(run, halves_side_by_side, (1, 32), input.slice(..32)?, input.slice(32..)?, &mut y);
        run.expect(&y, |i| x[i + 1] + x[32 + i])
    }),
    correct!(part_and_table, |run| {
        let x = noise(64);
        let (input, mut y) = (run.upload(&x)?, run.zeroed::<u32>(32)?);
        let table = run.upload(&[input.raw_ptr() + 128])?;
        start!(run, part_and_table, (1, 32), input.slice(..32)?, &table, &mut y);
        run.expect(&y, |i| x[i] + x[32 + i])
    }),
);
