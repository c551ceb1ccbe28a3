//! `ptx!` with operands of every type, several results, blocks, labels and memory.

use std::sync::atomic::{AtomicU32, Ordering};

use warploom::prelude::*;
use warploom_harness::device_test::check;

use crate::{N, agree, floats, noise};

fn fused(x: &[f32], i: usize) -> f32 {
    let (a, b, c) = (x[i], x[(i + 1) % x.len()], 0.3f32);
    // SAFETY: one instruction on registers; the CPU computes the same.
    unsafe {
        ptx!("fma.rn.f32 {d}, {a}, {b}, {c};", d = out(f32), a = in(f32) a, b = in(f32) b, c = in(f32) c + 1.0,
             pure, cpu = { a.mul_add(b, c) })
    }
}

#[test]
fn one_instruction() {
    agree(&floats(N), fused);
}

fn carried(x: &[u32], i: usize) -> [u32; 2] {
    let (a, b) = (x[i], x[(i + 1) % x.len()]);
    // SAFETY: two instructions on registers; the CPU computes the same.
    let (low, high) = unsafe {
        ptx!("add.cc.u32 {low}, {a}, {b};\n\taddc.u32 {high}, {a}, 0;",
             low = out(u32), high = out(u32), a = in(u32) a, b = in(u32) b, pure,
             cpu = { let (low, carry) = a.overflowing_add(b); (low, a.wrapping_add(u32::from(carry))) })
    };
    [low, high]
}

#[test]
fn two_results() {
    agree(&noise(N), carried);
}

fn of_all_types(x: &[u32], i: usize) -> [u64; 5] {
    let v = x[i];
    // SAFETY: an instruction on registers; the CPU computes the same.
    let wide: u64 = unsafe {
        ptx!("mul.wide.u32 {d}, {a}, {a};", d = out(u64), a = in(u32) v, pure,
            cpu = { u64::from(a) * u64::from(a) })
    };
    // SAFETY: as above.
    let narrow: u16 = unsafe {
        ptx!("shl.b16 {d}, {a}, 3;", d = out(u16), a = in(u16) v as u16, pure,
            cpu = { a << 3 })
    };
    // SAFETY: as above.
    let signed: i64 = unsafe {
        ptx!("mad.wide.s32 {d}, {a}, {b}, {c};", d = out(i64), a = in(i32) v as i32, b = in(i32) -5, c = in(i64) 7, pure,
            cpu = { i64::from(a) * i64::from(b) + c })
    };
    // SAFETY: as above.
    let double: f64 = unsafe {
        ptx!("cvt.rn.f64.s16 {d}, {a};", d = out(f64), a = in(i16) v as i16, pure,
            cpu = { f64::from(a) })
    };
    // SAFETY: as above.
    let (least, most): (u32, i32) = unsafe {
        ptx!("min.u32 {l}, {a}, {b};\nmax.s32 {m}, {a}, {b};",
            l = out(u32), m = out(i32), a = in(u32) v, b = in(u32) v << 7, pure,
            cpu = { (a.min(b), (a as i32).max(b as i32)) })
    };
    [
        wide,
        u64::from(narrow),
        signed as u64,
        double.to_bits(),
        u64::from(least) << 32 | u64::from(most as u32),
    ]
}

#[test]
fn operands_of_every_type() {
    agree(&noise(N), of_all_types);
}

fn gcd(x: &[u32], i: usize) -> u32 {
    let (a, b) = (x[i] >> 8, x[x.len() - 1 - i] >> 20 | 1);
    // SAFETY: a loop on registers of its own, which ends as Euclid's algorithm does; the CPU computes the same.
    unsafe {
        ptx!(
            "{{\n\t.reg .u32 %u, %v, %r;\n\t.reg .pred %p;\n\tmov.u32 %u, {a};\n\tmov.u32 %v, {b};\n$again:\n\trem.u32 %r, %u, %v;\n\tmov.u32 %u, %v;\n\tmov.u32 %v, %r;\n\tsetp.ne.u32 %p, %v, 0;\n\t@%p bra $again;\n\tmov.u32 {d}, %u;\n\t}}",
            d = out(u32), a = in(u32) a, b = in(u32) b,
            cpu = { let (mut u, mut v) = (a, b); while v != 0 { (u, v) = (v, u % v); } u }
        )
    }
}

#[test]
fn blocks_and_labels() {
    agree(&noise(N), gcd);
}

#[kernel]
fn count_down(i: Index1D, counts: &[AtomicU32], mut y: DisjointSlice<u32>) {
    let at = counts[i.get() % counts.len()].as_ptr();
    // SAFETY: an atomic instruction on an atomic; the CPU does the same.
    let old = unsafe {
        ptx!("atom.global.dec.u32 {d}, [{p}], {top};", d = out(u32), p = in(u64) at as u64, top = in(u32) 99, memory,
        cpu = {
            let _ = p;
            let step = |v: u32| Some(if v == 0 || v > top { top } else { v - 1 });
            // What `p` points to.
            match counts[i.get() % counts.len()].fetch_update(Ordering::Relaxed, Ordering::Relaxed, step) {
                Ok(old) | Err(old) => old,
            }
        })
    };
    if let Some(y) = y.get_mut(i) {
        *y = u32::from(old <= 99);
    }
}

#[test]
fn memory_through_an_address() {
    // 7 counters, 1001 threads: 143 steps down from 0, through 99.
    check(&[57; 7], |device, stream| {
        let mut counts = device.zeroed::<u32>(7)?;
        let mut y = device.zeroed::<u32>(1001)?;
        count_down::launch(stream, Launch::new(91, 11), counts.as_atomic(), &mut y)?;
        assert_eq!(y.to_vec(stream)?, [1; 1001]);
        Ok(counts.to_vec(stream)?)
    });
}
