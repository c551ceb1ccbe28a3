//! One instruction each.

use warploom::device_std::debug::{breakpoint, prof_trigger};
use warploom::device_std::time::{clock, clock64, global_timer_ns, nanosleep};
use warploom::prelude::*;

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn clocks(i: Index1D, mut y: DisjointSlice<u64>) {
    if let Some(y) = y.get_mut(i) {
        let start = clock();
        let start64 = clock64();
        nanosleep(100);
        *y = u64::from(clock().wrapping_sub(start)) ^ clock64() ^ start64 ^ global_timer_ns();
    }
}
// ptx: mov.u32 ... %clock;
// ptx: mov.u64 ... %clock64;
// ptx: nanosleep.u32
// ptx: mov.u32 ... %clock;
// ptx: mov.u64 ... %clock64;
// ptx: mov.u64 ... %globaltimer;

#[kernel]
#[allow(dead_code, reason = "never launched")]
fn tools(i: Index1D) {
    prof_trigger::<0>();
    if i.get() == 3 {
        prof_trigger::<7>();
        breakpoint();
    }
}
// ptx: pmevent 0;
// ptx: pmevent 7;
// ptx: brkpt;

//@ rows: GTM-1, GPR-1, DB-3, OF-2, TIME-clock, TIME-globaltimer, TIME-nanosleep
#[test]
fn clocks_and_tools_are_one_instruction_each() {
    warploom_harness::ptx_file!("ptx.rs");
}
