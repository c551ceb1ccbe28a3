//! `ptx!` puts its text into the kernel, with registers for its operands.

use warploom::prelude::*;

#[kernel]
fn dotted(i: Index1D, a: u32, mut y: DisjointSlice<u32>) {
    if let Some(y) = y.get_mut(i) {
        // SAFETY: one instruction on registers; the CPU's body is not run here.
        *y = unsafe {
            ptx!("dp4a.u32.u32 {d}, {a}, {b}, 7;", d = out(u32), a = in(u32) a, b = in(u32) *y, pure, cpu = { a ^ b })
        };
    }
}
// ptx: ld.global.b32 %r
// ptx: dp4a.u32.u32 %r..., %r..., %r..., 7;
// ptx: st.global.b32 ..., %r
// ptx-not: .local
// ptx-not: call

/// The result is unused, but the text may have an effect.
#[kernel]
fn kept() {
    // SAFETY: waits, nothing else.
    unsafe { ptx!("nanosleep.u32 {t};", t = in(u32) 40, cpu = {}) };
}
// ptx: nanosleep.u32

/// The result is unused, and there is no effect.
#[kernel]
fn dropped(a: u32) {
    // SAFETY: one instruction on registers.
    let _: u32 =
        unsafe { ptx!("brev.b32 {d}, {a};", d = out(u32), a = in(u32) a, pure, cpu = { a }) };
}
// ptx-not: brev

#[test]
fn the_text_appears_with_its_operands() {
    warploom_harness::ptx_file!("inline_ptx.rs");
}
