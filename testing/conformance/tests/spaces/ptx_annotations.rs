//! What is said of pointers and of functions, as PTX shows it.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use warploom::prelude::*;

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn slice(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) {
        *y = *x;
    }
}
// ptx: ld.global.nc.b32
// ptx: st.global.b32

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn atomics(i: Index1D, x: &[AtomicU32], mut y: DisjointSlice<u32>) {
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) {
        *y = x.load(Relaxed);
    }
}
// ptx: ld.relaxed
// ptx-not: .nc

/// # Safety
/// Never launched.
#[kernel]
#[allow(dead_code, reason = "never launched")]
unsafe fn pointer(i: Index1D, x: *const u32, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        // SAFETY: never launched.
        let x = unsafe { x.add(i.get()) };
        // SAFETY: never launched.
        *y = unsafe { *x };
    }
}
// ptx: ld.global.b32
// ptx-not: .nc

/// `a[0]` and `b[0]` are read once each, although `c` is written in between.
#[kernel]
#[allow(dead_code, reason = "never launched")]
fn once(i: Index1D, a: &[f32], b: &[f32], mut c: DisjointSlice<f32, Chunks<3>>) {
    if let ([_, _, ..], [_, ..], Some(c)) = (a, b, c.get_mut(i)) {
        c[0] = a[0];
        c[1] = a[0] * b[0];
        c[2] = a[0] * b[0] * a[1];
    }
}
// ptx-count: 3 ld.global.nc
// ptx-count: 3 ld.global
// ptx-count: 3 st.global

/// All is read again but `*a`: if `c` is `a`, it was given its own value.
///
/// # Safety
/// Never launched.
#[kernel]
#[expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "which loads one expression needs is what its PTX shows"
)]
#[allow(dead_code, reason = "never launched")]
unsafe fn again(a: *const f32, b: *const f32, c: *mut f32) {
    // SAFETY: never launched.
    unsafe {
        *c = *a;
        *c.add(1) = *a * *b;
        *c.add(2) = *a * *b * *a.add(1);
    }
}
// ptx-count: 5 ld.global.b32

#[inline(never)]
fn far(x: u32) -> u32 {
    x.rotate_left(x & 7) ^ 0x1234
}

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn uses_far(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) {
        *y = far(*x) ^ far(x.wrapping_add(1));
    }
}
// ptx: call...far
// ptx: call...far
// ptx-module: .func
// ptx-module: far

#[inline(always)]
fn near(x: u32, depth: u32) -> u32 {
    (0..depth).fold(x, |x, k| x.rotate_left(x & 7).wrapping_mul(k | 1) ^ 0x1234)
}

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn uses_near(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    if let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) {
        *y = near(*x, 100) ^ near(x.wrapping_add(1), 200) ^ near(!x, 300);
    }
}
// ptx-not: call
// ptx-module-not: .func

#[inline]
fn hinted(x: u32) -> u32 {
    x ^ 3
}

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn uses_hinted(i: Index1D, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        *y = hinted(*y);
    }
}
// ptx: xor.b32
// ptx-not: call

/// The indices are known at run time only.
#[kernel]
#[allow(dead_code, reason = "never launched")]
fn local_array(i: Index1D, x: &[u8], mut y: DisjointSlice<u32>) {
    let mut counts = [0u32; 32];
    for x in x {
        counts[usize::from(x & 31)] += 1;
    }
    if let Some(y) = y.get_mut(i) {
        *y = counts[(*y & 31) as usize];
    }
}
// ptx: .local
// ptx: st.local
// ptx: ld.local

/// The indices are known at build time.
#[kernel]
#[allow(dead_code, reason = "never launched")]
fn registers(i: Index1D, mut y: DisjointSlice<u32>) {
    let mut parts = [0u32; 4];
    if let Some(y) = y.get_mut(i) {
        for (k, part) in parts.iter_mut().enumerate() {
            *part = *y >> (8 * k) & 255;
        }
        *y = parts[3] * 2 + parts[1];
    }
}
// ptx-not: .local

/// Never called on a device.
fn only_on_the_host(x: u32) -> String {
    format!("{x} on the host")
}

//@ rows: AN-1, AN-2, AN-3, AN-5, AN-6, GVAR-13, GVAR-19, GFN-7, GFN-8, GPFM-1
#[test]
fn pointers_and_functions_are_what_their_types_say() {
    warploom_harness::ptx_file!("ptx_annotations.rs");
}

//@ rows: EX-1, EX-3, GFN-3
#[test]
fn kernels_are_entries_and_functions_of_the_host_are_not_there() {
    assert_eq!(only_on_the_host(3), "3 on the host");
    let Some(images) = warploom_harness::ptx::images() else {
        return;
    };
    let all: String = images.iter().map(|image| image.ptx.as_str()).collect();
    assert!(all.contains(".visible .entry uses_near("));
    assert!(!all.contains("only_on_the_host"));
    assert!(!all.contains(".entry far") && !all.contains(".visible .func"));
}
