//! Litmus tests: small programs of two or four threads whose forbidden outcomes must never be seen.
//!
//! Many instances of a test run at the same time, each with places of its own. Threads of a block take the instances in an order of their
//! own, so that the threads of one instance meet in many ways; what they saw is counted on the host.

mod programs; // the tests, and what they forbid
mod weak; // what GPUs do where nothing is ordered

use warploom::device_std::atomic::{Atomic, Relaxed, Scope};
use warploom::prelude::*;
use warploom_harness::device_test::devices;

/// Words between two places: each has a sector of the cache for itself.
const STRIDE: usize = 8;
const THREADS: u32 = 128;

/// A small program: role `role` of it, on places that are all 0 at first. Gives what the role read: 0 or 1 in each of two bits.
trait Program: 'static {
    /// How many threads take part.
    const ROLES: usize;
    /// What `role` does with the places `x` and `y`.
    fn run<S: Scope>(role: usize, x: &Atomic<u32, S>, y: &Atomic<u32, S>) -> u32;
}

/// Instances are in rounds. In each every thread plays one role of one instance; the roles of one instance are played by threads of
/// different blocks, or of different warps of one block.
#[kernel]
fn play<P: Program, S: Scope>(
    block: Block,
    places: &[Atomic<u32, S>],
    seen: &[Atomic<u32>],
    start: &[Atomic<u32>],
    rounds: u32,
    within_block: bool,
) {
    let (thread, threads) = (block.thread(), block.threads());
    let blocks = grid_dim().x as usize;
    // Which role, which group of threads that plays together, and the place in the group.
    let (role, group, at, size) = if within_block {
        let warp = thread / 32;
        let per_role = threads / P::ROLES;
        (
            warp % P::ROLES,
            block.index(),
            warp / P::ROLES * 32 + thread % 32,
            per_role,
        )
    } else {
        (
            block.index() % P::ROLES,
            block.index() / P::ROLES,
            thread,
            threads,
        )
    };
    let groups = if within_block {
        blocks
    } else {
        blocks / P::ROLES
    };
    let per_round = groups * size;
    let total = per_round * rounds as usize;
    for round in 0..rounds as usize {
        meet(
            block,
            &start[group],
            (round + 1) as u32,
            P::ROLES as u32,
            within_block,
        );
        // Another pairing of lanes in each role and round: 1, 3, 5 … have no factor in common with a power of two.
        let mixed = (at * (2 * role + 1) + round * 7 * role) % size;
        let instance = round * per_round + group * size + mixed;
        let x = &places[instance * STRIDE];
        // The places of one instance lie far from each other, in another order.
        let y = &places[(total + (instance * 5 + 3) % total) * STRIDE];
        let read = P::run(role, x, y);
        seen[instance].fetch_or(read << (2 * role), Relaxed);
    }
}

/// Lets the threads of one group begin a round at about the same time. Only a hint: the wait is bounded, so nothing depends on it.
#[inline(always)]
fn meet(block: Block<'_>, start: &Atomic<u32>, round: u32, roles: u32, within_block: bool) {
    block.sync();
    if !within_block && block.thread() == 0 {
        start.fetch_add(1, Relaxed);
        let mut patience = 2000;
        while start.load(Relaxed) < round * roles && patience > 0 {
            patience -= 1;
        }
    }
    block.sync();
}

/// How often each outcome was seen: index is the outcome, two bits for each role.
type Histogram = Vec<u64>;

/// Runs `P` on all devices, about 2²⁰ times on a GPU, and hands on what was seen.
#[track_caller]
#[expect(clippy::panic, reason = "this is how a test fails")]
fn histograms<P: Program, S: Scope>(
    within_block: bool,
    mut judge: impl FnMut(&Device, &Histogram),
) {
    for device in devices() {
        let run = || -> warploom::Result<Histogram> {
            let stream = device.stream()?;
            let mut counts = vec![0; 1 << (2 * P::ROLES)];
            // (blocks, rounds, launches)
            let (blocks, rounds, launches) = if device.is_gpu() {
                (
                    128_usize,
                    32_usize,
                    if within_block { 4 } else { 4 * P::ROLES },
                )
            } else {
                (8, 2, 1)
            };
            let groups = if within_block {
                blocks
            } else {
                blocks / P::ROLES
            };
            let size = if within_block {
                THREADS as usize / P::ROLES
            } else {
                THREADS as usize
            };
            let total = groups * size * rounds;
            // Within a block each thread plays one role, so fewer instances are played at a time.
            let launches = if within_block {
                launches * P::ROLES / 2
            } else {
                launches
            };
            for _ in 0..launches {
                let mut places = device.zeroed::<u32>(2 * total * STRIDE)?;
                let mut seen = device.zeroed::<u32>(total)?;
                let mut start = device.zeroed::<u32>(blocks)?;
                play::<P, S>::launch(
                    &stream,
                    (blocks as u32, THREADS),
                    places.as_atomics(),
                    seen.as_atomics(),
                    start.as_atomics(),
                    rounds as u32,
                    within_block,
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
        let instances: u64 = counts.iter().sum();
        assert!(
            !device.is_gpu() || instances >= 1_000_000,
            "{instances} instances"
        );
        judge(&device, &counts);
    }
}

/// Into the test's captured output: `--nocapture` shows it.
#[expect(clippy::print_stdout, reason = "figures for the reader of the log")]
fn say(text: &str) {
    println!("{text}");
}

/// Outcomes that were seen, in bits, the first role's last: `0b01_10: 17`.
fn text(counts: &Histogram) -> String {
    let seen = counts.iter().enumerate().filter(|(_, n)| **n != 0);
    let seen: Vec<String> = seen
        .map(|(outcome, n)| format!("{outcome:#06b}: {n}"))
        .collect();
    seen.join(", ")
}

/// `P` at scope `S`: an outcome for which `forbidden` holds is never seen.
#[track_caller]
fn never<P: Program, S: Scope>(within_block: bool, forbidden: impl Fn(u32) -> bool) {
    histograms::<P, S>(within_block, |device, counts| {
        let bad: u64 = (0..)
            .zip(counts)
            .filter(|(o, _)| forbidden(*o))
            .map(|(_, n)| *n)
            .sum();
        assert_eq!(
            bad,
            0,
            "forbidden outcomes of {} on {}: {}",
            std::any::type_name::<P>(),
            device.name(),
            text(counts)
        );
        say(&format!(
            "{} on {}: {}",
            std::any::type_name::<P>(),
            device.name(),
            text(counts)
        ));
    });
}
