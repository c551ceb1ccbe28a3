//! Without order a GPU shows what the ordered programs forbid: the tests above can fail.

use super::programs::{buffering, loads, message};
use super::{Histogram, Program, STRIDE, say, text};
use warploom::device_std::atomic::{Atomic, Relaxed, Scope};
use warploom::device_std::time::clock;
use warploom::prelude::*;
use warploom_harness::device_test::devices;

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

/// Pairs of threads, each alone in its block, play one instance after the other. Before each they wait for each other; the one that
/// came last knows it first, so it waits for a while longer, of another length each time. Other blocks keep the caches busy.
#[kernel]
fn race<P: Program>(
    block: Block,
    places: &[Atomic<u32>],
    seen: &[Atomic<u32>],
    start: &[Atomic<u32>],
    noise: &[Atomic<u32>],
    rounds: u32,
    patience: u32,
) {
    let (pairs, rounds) = (start.len(), rounds as usize);
    let (pair, role) = (block.index() / 2, block.index() % 2);
    if pair >= pairs {
        let mut at = block.index() * 977 + block.thread();
        for _ in 0..rounds * 4 {
            at = (at * 69_069 + 1) % noise.len();
            noise[at].store(noise[(at * 7 + 3) % noise.len()].load(Relaxed), Relaxed);
        }
        return;
    }
    if block.thread() != 0 {
        return;
    }
    for round in 0..rounds {
        let instance = pair * rounds + round;
        let x = &places[instance * STRIDE];
        let y = &places[(pairs * rounds + (instance * 5 + 3) % (pairs * rounds)) * STRIDE];
        let last = start[pair].fetch_add(1, Relaxed) as usize == 2 * round + 1;
        if last {
            let (from, delay) = (clock(), (instance * 7_919) as u32 % 1024);
            while patience > 0 && clock().wrapping_sub(from) < delay {}
        } else {
            let mut left = patience;
            while left > 0 && (start[pair].load(Relaxed) as usize) < 2 * round + 2 {
                left -= 1;
            }
        }
        let read = P::run(role, x, y);
        seen[instance].fetch_or(read << (2 * role), Relaxed);
    }
}

/// What was seen of `P`, in about a million instances on a GPU.
#[track_caller]
#[expect(clippy::panic, reason = "this is how a test fails")]
fn races<P: Program>(name: &str, forbidden: impl Fn(u32) -> bool, must_be_seen: bool) {
    for device in devices() {
        let (pairs, rounds, launches, patience) = if device.is_gpu() {
            (32_usize, 2048_usize, 16, 100_000)
        } else {
            (2, 4, 1, 0) // blocks need not run at the same time, and none waits
        };
        let total = pairs * rounds;
        let run = || -> warploom::Result<Histogram> {
            let stream = device.stream()?;
            let mut counts = vec![0; 16];
            let mut noise = device.zeroed::<u32>(1 << 22)?;
            for _ in 0..launches {
                let mut places = device.zeroed::<u32>(2 * total * STRIDE)?;
                let mut seen = device.zeroed::<u32>(total)?;
                let mut start = device.zeroed::<u32>(pairs)?;
                race::<P>::launch(
                    &stream,
                    (2 * pairs as u32 + 48, 64),
                    places.as_atomics(),
                    seen.as_atomics(),
                    start.as_atomics(),
                    noise.as_atomics(),
                    rounds as u32,
                    patience,
                )?;
                for outcome in seen.to_vec(&stream)? {
                    counts[outcome as usize] += 1;
                }
            }
            Ok(counts)
        };
        let counts = match run() {
            Ok(counts) => counts,
            Err(error) => panic!("on {}: {error}", device.name()),
        };
        let weak = count(&counts, &forbidden);
        show(name, &device, &counts, weak);
        assert!(
            weak > 0 || !device.is_gpu() || !must_be_seen,
            "no weak outcome of {name} on {}: {}",
            device.name(),
            text(&counts)
        );
    }
}

//@ rows: LIT-sb, GPM-17
#[test]
fn relaxed_store_buffering_is_seen_on_gpus() {
    races::<Buffering>("store buffering", buffering, true);
}

/// Whether these are seen depends on the GPU.
//@ rows: LIT-mp, LIT-lb
#[test]
fn relaxed_messages_and_loads_are_counted() {
    races::<Message>("message passing", message, false);
    races::<Loads>("load buffering", loads, false);
}
