//! A panic stores numbers, of which the host makes the text: no call, no local memory, no `core::fmt`.

use std::sync::atomic::Ordering::Relaxed;

use warploom::prelude::*;

#[kernel]
fn divisions(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let (Some(y), Some(x)) = (y.get_mut(i), x.get(i.get())) else {
        return;
    };
    *y = 100 / *x + 7 % *y;
}
// ptx: // __warploom_panic_str
// ptx-not: call
// ptx-not: __local_depot

#[kernel]
fn copies(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let Some(y) = y.get_mut(i) else { return };
    let mut four = [0; 4];
    four.copy_from_slice(&x[..*y as usize]);
    *y = four.iter().fold(0, |a, b| a ^ b);
}
// ptx: // __warploom_panic_values_2
// ptx-not: call

#[expect(clippy::panic, reason = "the panic is what is tested")]
#[kernel]
fn patterns(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let Some(y) = y.get_mut(i) else { return };
    let [first, .., last] = x else {
        panic!("{} elements", x.len())
    };
    *y = first ^ last;
}
// ptx: // __warploom_panic_values_1
// ptx-not: call
// ptx-not: __local_depot

#[kernel]
fn assertions(i: Index1D, a: u32, b: i64, mut y: DisjointSlice<u32>) {
    let Some(y) = y.get_mut(i) else { return };
    assert!(b < 9, "{a:#x} against {b:?}");
    assert_eq!(a, *y);
    assert_ne!(*y, 5, "element {}", i.get());
    *y = 0;
}
// ptx: // __warploom_panic_values_2
// ptx-not: call
// ptx-not: __local_depot

#[kernel]
fn loops(i: Index1D, x: &[f32], limit: f32, mut y: DisjointSlice<f32>) {
    let Some(y) = y.get_mut(i) else { return };
    let mut sum = 0.0;
    for (k, v) in x.iter().enumerate() {
        assert!(*v < limit, "element {k} is {v}, the limit is {limit}");
        sum += v;
    }
    *y = sum;
}
// ptx: // __warploom_panic_values_3
// ptx-not: call
// ptx-not: __local_depot

#[expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "the panic is what is tested"
)]
#[kernel]
fn unwraps(i: Index1D, x: &[u32], mut y: DisjointSlice<u32>) {
    let Some(y) = y.get_mut(i) else { return };
    let even = if *y % 2 == 0 { Ok(*y) } else { Err(*y) };
    *y = even.unwrap() + x.first().unwrap() + x.get(3).expect("four elements");
}
// ptx: // __warploom_panic_values_1
// ptx-not: call
// ptx-not: __local_depot

#[kernel]
fn shared_atomics(i: Index1D, mut y: DisjointSlice<u32>) {
    let cells = shared_array!(u32, 64);
    let Some(y) = y.get_mut(i) else { return };
    *y = cells.atomic(*y as usize).load(Relaxed);
}
// ptx: // __warploom_panic_values_2
// ptx-not: call

#[expect(dead_code, reason = "device code alone makes one")]
struct Own(u32);

impl std::fmt::Display for Own {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "own {}", self.0)
    }
}

#[kernel]
fn of_the_user(i: Index1D, mut y: DisjointSlice<u32>) {
    let Some(y) = y.get_mut(i) else { return };
    assert!(*y < 9, "{}", Own(*y));
    *y = 0;
}
// ptx: call ... __warploom_panic_fmt

#[test]
fn the_host_makes_the_texts() {
    warploom_harness::ptx_file!("panic_texts.rs");
}
