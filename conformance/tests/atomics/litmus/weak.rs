//! Without order a GPU shows what the ordered programs forbid: the tests above can fail.

use super::programs::{buffering, loads, message};
use super::{Histogram, Program, histograms, say, text};
use warploom::device::atomic::{Atomic, Relaxed, Scope, scope};
use warploom::prelude::*;

struct Message;
impl Program for Message {
    const ROLES: usize = 2;
    #[inline(always)]
    fn run<S: Scope>(role: usize, x: &Atomic<u32, S>, y: &Atomic<u32, S>) -> u32 {
        if role == 0 {
            x.store(1, Relaxed);
            y.store(1, Relaxed);
            0
        } else {
            let flag = y.load(Relaxed);
            flag | x.load(Relaxed) << 1
        }
    }
}

struct Buffering;
impl Program for Buffering {
    const ROLES: usize = 2;
    #[inline(always)]
    fn run<S: Scope>(role: usize, x: &Atomic<u32, S>, y: &Atomic<u32, S>) -> u32 {
        let (own, other) = if role == 0 { (x, y) } else { (y, x) };
        own.store(1, Relaxed);
        other.load(Relaxed)
    }
}

struct Loads;
impl Program for Loads {
    const ROLES: usize = 2;
    #[inline(always)]
    fn run<S: Scope>(role: usize, x: &Atomic<u32, S>, y: &Atomic<u32, S>) -> u32 {
        let (read, write) = if role == 0 { (x, y) } else { (y, x) };
        let seen = read.load(Relaxed);
        write.store(1, Relaxed);
        seen
    }
}

fn count(counts: &Histogram, weak: impl Fn(u32) -> bool) -> u64 {
    (0..)
        .zip(counts)
        .filter(|(o, _)| weak(*o))
        .map(|(_, n)| *n)
        .sum()
}

fn show(name: &str, device: &Device, counts: &Histogram, weak: u64) {
    say(&format!(
        "{name}, relaxed, on {}: {weak} weak; {}",
        device.name(),
        text(counts)
    ));
}

//@ rows: LIT-sb
#[test]
fn relaxed_store_buffering_is_seen_on_gpus() {
    histograms::<Buffering, scope::Device>(false, |device, counts| {
        let weak = count(counts, buffering);
        show("store buffering", device, counts, weak);
        assert!(
            weak > 0 || !device.is_gpu(),
            "no weak outcome on {}: {}",
            device.name(),
            text(counts)
        );
    });
}

/// Whether these are seen depends on the GPU.
//@ rows: LIT-mp, LIT-lb
#[test]
fn relaxed_messages_and_loads_are_counted() {
    histograms::<Message, scope::Device>(false, |device, counts| {
        show("message passing", device, counts, count(counts, message));
    });
    histograms::<Loads, scope::Device>(false, |device, counts| {
        show("load buffering", device, counts, count(counts, loads));
    });
}
