//! `clock`, `clock64` and `global_timer_ns`.

use warploom::device_std::time::{clock, clock64, global_timer_ns};
use warploom::prelude::*;
use warploom_harness::device_test::on_each_device;

/// Work that takes time in proportion to `n`, and that no compiler can remove.
#[inline(never)]
fn work(n: u32, seed: u32) -> u32 {
    let mut x = seed | 1;
    for _ in 0..n {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    x
}

#[kernel]
fn timed(i: Index1D, short: u32, long: u32, mut y: DisjointSlice<[u64; 4]>) {
    let seed = i.get() as u32;
    if let Some(y) = y.get_mut(i) {
        let (start32, start) = (clock(), clock64());
        let first = work(short, seed);
        let middle = clock64();
        let second = work(long, first);
        let (end, end32) = (clock64(), clock());
        *y = [
            middle - start,
            end - middle,
            u64::from(end32.wrapping_sub(start32)),
            u64::from(second),
        ];
    }
}

//@ rows: GTM-1, TIME-clock
#[test]
fn a_clock_grows_with_the_work() {
    on_each_device(|device, stream| {
        let mut y = device.zeroed(70)?;
        timed::launch(stream, (2, 35), 100, 20_000, &mut y)?;
        let times = y.to_vec(stream)?;
        // Other load on the machine makes some times longer, never the shortest of many.
        let shortest = |which: usize| times.iter().map(|times| times[which]).min();
        assert!(
            shortest(1) > shortest(0),
            "200 times the work took {:?}, not more than {:?}",
            shortest(1),
            shortest(0)
        );
        for [short, long, whole, _] in times {
            assert!(short > 0 && long > 0 && whole > 0);
            assert!(
                whole + 1000 > long,
                "the halves of the counter agree: {whole}, {long}"
            );
        }
        Ok(())
    });
}

#[kernel]
fn timers(i: Index1D, mut y: DisjointSlice<[u64; 2]>) {
    if let Some(y) = y.get_mut(i) {
        let start = global_timer_ns();
        // The counter may have steps of a microsecond and more.
        let mut end = start;
        while end == start {
            end = global_timer_ns();
        }
        *y = [start, end];
    }
}

//@ rows: TIME-globaltimer
#[test]
fn all_threads_have_one_timer() {
    on_each_device(|device, stream| {
        let mut y = device.zeroed(96)?;
        let mut latest = 0;
        for _ in 0..2 {
            timers::launch(stream, (3, 32), &mut y)?;
            let times = y.to_vec(stream)?;
            assert!(times.iter().all(|[start, end]| start < end));
            let first = times.iter().map(|[start, _]| *start).min().unwrap();
            let last = times.iter().map(|[_, end]| *end).max().unwrap();
            assert!(
                first >= latest,
                "the second launch starts after the first: {first}, {latest}"
            );
            assert!(last - first < 60_000_000_000, "{first} to {last} ns");
            latest = last;
        }
        Ok(())
    });
}
