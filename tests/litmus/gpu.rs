//! Many instances on a GPU, where threads of different speed meet in many ways: how often each outcome was seen.
//!
//! `WARPLOOM_LITMUS=FILE` writes a file for `benches/results/litmus/`.

use std::fmt::Write as _;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use warploom::device_std::atomic::scope;
use warploom::device_std::time::clock;
use warploom::prelude::*;
use warploom_harness::device_test::devices;

use crate::shapes::{Outcome, SHAPES, Shape, run};
use crate::styles::{
    Fenced, FencedSequential, ORDERS, RelaxedOnly, ReleaseAcquire, Sequential, Style,
};

/// Words between two places: each has a sector of the cache for itself.
const STRIDE: usize = 8;
const LANES: usize = 32;

/// What is played, and how often.
#[derive(Debug, Clone, Copy)]
struct Play {
    shape: u32,
    roles: u32,
    groups: u32,
    rounds: u32,
    launches: u32,
    /// Looks at others that have not come yet.
    patience: u32,
    /// Blocks that keep the caches busy.
    noisy: u32,
}

impl Play {
    fn of(number: usize, is_gpu: bool) -> Play {
        let (groups, rounds, launches, patience, noisy) = match is_gpu {
            true => (32, 1024, 8, 100_000, 48),
            false => (2, 2, 1, 0, 0), // blocks need not run at the same time, and none waits
        };
        Play {
            shape: number as u32,
            roles: SHAPES[number].roles,
            groups,
            rounds,
            launches,
            patience,
            noisy,
        }
    }

    /// Instances of a launch: a power of two.
    fn instances(self) -> usize {
        (self.groups * self.rounds) as usize
    }
}

/// Where the places of an instance are: far from each other, each in an order of its own.
#[inline(always)]
fn places_of(instance: usize, all: usize) -> [usize; 3] {
    let at = [instance, instance * 5 + 3, instance * 7 + 1];
    let mut places = [0; 3];
    for (number, (place, at)) in places.iter_mut().zip(at).enumerate() {
        *place = (number * all + at % all) * STRIDE;
    }
    places
}

/// The thread that came last knows it first, so it waits for a while longer, of another length each time.
#[inline(always)]
fn dawdle(instance: usize) {
    let (from, delay) = (clock(), (instance * 7_919) as u32 % 1024);
    while clock().wrapping_sub(from) < delay {}
}

/// Groups of blocks, of which one thread each plays one instance after the other. Other blocks keep the caches busy.
#[kernel]
fn race_of_blocks<S: Style>(
    block: Block,
    shape: u32,
    roles: u32,
    places: &[AtomicU32],
    seen: &[AtomicU32],
    start: &[AtomicU32],
    noise: &[AtomicU32],
    rounds: u32,
    patience: u32,
) {
    let (groups, rounds) = (start.len(), rounds as usize);
    let (group, role) = (block.index() / roles as usize, block.index() as u32 % roles);
    if group >= groups {
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
        let instance = group * rounds + round;
        let [x, y, z] = places_of(instance, groups * rounds);
        let all = roles * (round as u32 + 1);
        let last = start[group].fetch_add(1, Relaxed) + 1 == all;
        if !last {
            let mut left = patience;
            while left > 0 && start[group].load(Relaxed) < all {
                left -= 1;
            }
        } else if patience > 0 {
            dawdle(instance);
        }
        let read = run::<S>(shape, role, [&places[x], &places[y], &places[z]]);
        seen[instance].fetch_or(read << (4 * role), Relaxed);
    }
}

/// The first lanes of a block's warps play, in shared or in global memory.
#[kernel]
fn race_of_warps<S: Style>(
    block: Block,
    shape: u32,
    roles: u32,
    places: &[AtomicU32],
    seen: &[AtomicU32],
    rounds: u32,
    is_shared: u32,
    patience: u32,
) {
    // Words of three banks.
    let shared = shared_array!(u32, 11);
    let rounds = rounds as usize;
    let all = grid_dim().x as usize * rounds;
    let (role, lane) = ((block.thread() / LANES) as u32, block.thread() % LANES);
    for round in 0..rounds {
        let instance = block.index() * rounds + round;
        let [x, y, z] = places_of(instance, all);
        let in_global = [&places[x], &places[y], &places[z]];
        let in_shared = [shared.atomic(0), shared.atomic(5), shared.atomic(10)];
        if is_shared != 0 && block.thread() == 0 {
            in_shared.iter().for_each(|place| place.store(0, Relaxed));
        }
        block.sync();
        if lane == 0 && role < roles {
            if patience > 0 {
                dawdle(instance * (role as usize + 1) % 64);
            }
            let own = if is_shared != 0 { in_shared } else { in_global };
            let read = run::<S>(shape, role, own);
            seen[instance].fetch_or(read << (4 * role), Relaxed);
        }
        block.sync();
        if is_shared != 0 && block.thread() == 0 {
            for (from, to) in in_shared.iter().zip(in_global) {
                to.store(from.load(Relaxed), Relaxed);
            }
        }
    }
}

/// Where threads play.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Where {
    Blocks,
    Threads,
    Shared,
}

/// How often the outcome was seen.
type Race = fn(&Device, Play, Where) -> warploom::Result<usize>;

fn race<OfDevice: Style, OfBlock: Style>(
    device: &Device,
    play: Play,
    place: Where,
) -> warploom::Result<usize> {
    let stream = device.stream()?;
    let all = play.instances();
    let mut noise = device.zeroed::<u32>(1 << 20)?;
    let mut weak = 0;
    for _ in 0..play.launches {
        let mut places = device.zeroed::<u32>(3 * all * STRIDE)?;
        let mut seen = device.zeroed::<u32>(all)?;
        let mut start = device.zeroed::<u32>(play.groups as usize)?;
        if place == Where::Blocks {
            race_of_blocks::<OfDevice>::launch(
                &stream,
                (play.groups * play.roles + play.noisy, 64),
                play.shape,
                play.roles,
                places.as_atomic(),
                seen.as_atomic(),
                start.as_atomic(),
                noise.as_atomic(),
                play.rounds,
                play.patience,
            )?;
        } else {
            race_of_warps::<OfBlock>::launch(
                &stream,
                (play.groups, play.roles * LANES as u32),
                play.shape,
                play.roles,
                places.as_atomic(),
                seen.as_atomic(),
                play.rounds,
                u32::from(place == Where::Shared),
                play.patience,
            )?;
        }
        let (places, seen) = (places.to_vec(&stream)?, seen.to_vec(&stream)?);
        let outcomes = seen.iter().enumerate().map(|(instance, seen)| {
            Outcome::new(*seen, places_of(instance, all).map(|at| places[at]))
        });
        weak += outcomes.filter(SHAPES[play.shape as usize].is_it).count();
    }
    Ok(weak)
}

const RACES: [Race; 5] = [
    race::<RelaxedOnly<scope::Device>, RelaxedOnly<scope::Block>>,
    race::<ReleaseAcquire<scope::Device>, ReleaseAcquire<scope::Block>>,
    race::<Sequential<scope::Device>, Sequential<scope::Block>>,
    race::<Fenced<scope::Device>, Fenced<scope::Block>>,
    race::<FencedSequential<scope::Device>, FencedSequential<scope::Block>>,
];

/// A line for each program, order and place: instances, and how many had the outcome.
fn lines(device: &Device) -> String {
    let mut lines = String::new();
    for (number, shape) in SHAPES.iter().enumerate() {
        let Shape { name, allowed, .. } = shape;
        for (order, race) in RACES.into_iter().enumerate() {
            for place in [Where::Blocks, Where::Threads, Where::Shared] {
                let play = Play::of(number, device.is_gpu());
                let weak = race(device, play, place).unwrap();
                let instances = play.instances() * play.launches as usize;
                let line = format!("{name}\t{}\t{place:?}\t{instances}\t{weak}", ORDERS[order]);
                assert!(weak == 0 || allowed[order], "{}: {line}", device.name());
                let _ = writeln!(lines, "{line}");
            }
        }
    }
    lines
}

#[test]
fn no_device_has_a_forbidden_outcome() {
    for device in devices() {
        let lines = lines(&device);
        if let Some(file) = std::env::var_os("WARPLOOM_LITMUS").filter(|_| device.is_gpu()) {
            let head = format!(
                "# {}\n# shape\torder\tplace\tinstances\tseen\n",
                device.name()
            );
            std::fs::write(file, head + &lines).unwrap();
        }
    }
}
