//! Lanes that stand by, barriers that order nothing, atomics that many threads want at once.

use super::super::Space;
use super::super::profile::{Atomic, Barrier, BarrierOrigin, Profile, Spot};
use super::super::tally::Sparse;
use super::{Finding, LEAST_REQUESTS, grouped, lane_list, note, number, percent, warning, who};
use crate::engine::warp::LANES;
use crate::finding::{Code, Note};

/// Lanes that a multiprocessor serves in a cycle.
const LANES_PER_CYCLE: f64 = 128.0;

/// Cycles that a barrier costs a block at least.
const BARRIER_CYCLES: f64 = 20.0;

/// A place is reported that wastes at least one of so many lanes of the whole kernel.
const LEAST_SHARE: u64 = 20;

/// An atomic is reported if one address is changed at least so often.
const MOST_OPERATIONS: u64 = 1024;

pub(super) fn divergence(profile: &Profile) -> Vec<Finding> {
    let all: u64 = profile.spots.iter().map(|spot| spot.tally.present).sum();
    let dear = |spot: &&Spot| {
        let tally = &spot.tally;
        let lost = tally.present - tally.executions;
        // One lane, once per warp, that puts down the warp's result, or the block's: the way it is done.
        let leader = tally.requests <= profile.n_warps() && tally.active[1] == tally.requests;
        tally.requests >= LEAST_REQUESTS
            && 2 * tally.executions < tally.present
            && lost * LEAST_SHARE >= all
            && !leader
    };
    // Neighbouring places with the same counts are the body of one branch: told once, at the first.
    let mut bodies: Vec<Vec<&Spot>> = Vec::new();
    for spot in profile.spots.iter().filter(dear) {
        let same = |body: &&mut Vec<&Spot>| {
            body.last().is_some_and(|last| {
                last.place.file == spot.place.file
                    && last.tally.lanes() == spot.tally.lanes()
                    && last.tally.requests == spot.tally.requests
                    && spot.place.line.abs_diff(last.place.line) <= 3
            })
        };
        match bodies.iter_mut().find(same) {
            Some(body) => body.push(spot),
            None => bodies.push(vec![spot]),
        }
    }
    let finding = |body: Vec<&Spot>| {
        let spot = *body.first()?;
        let tally = &spot.tally;
        let sets = tally.sets();
        let sparse = *sets.first()?;
        let title = format!(
            "divergent code: on average {} of the {} lanes of a warp that are there take part",
            number(tally.executions as f64 / tally.requests as f64),
            number(tally.present as f64 / tally.requests as f64)
        );
        let mut report = warning(Code::DIVERGENCE, title, Some(&spot.place), tally.requests);
        if let Some(side) = report.sides.first_mut() {
            side.who = Some(who(profile, sparse.who, sparse.active.trailing_zeros()));
            side.did = format!("executes this with {} of its warp", lanes(sparse.active));
        }
        report.notes = vec![
            note(
                "why",
                "a warp executes both sides of a branch one after the other; lanes that are not on a side wait",
            ),
            note(
                "note",
                format!(
                    "{} of {} executions by warps lack lanes; most often there {}",
                    grouped(tally.split),
                    grouped(tally.requests),
                    patterns(&sets)
                ),
            ),
        ];
        if body.len() > 1 {
            let mut lines: Vec<_> = body.iter().map(|spot| spot.place.line).collect();
            lines.dedup();
            let lines: Vec<_> = lines.iter().map(u32::to_string).collect();
            let text = format!(
                "{} accesses in lines {} alike",
                body.len(),
                lines.join(", ")
            );
            report.notes.push(note("note", text));
        }
        report.notes.push(way_out(&sets));
        let lost: u64 = body
            .iter()
            .map(|spot| spot.tally.present - spot.tally.executions)
            .sum();
        Some(Finding {
            report,
            cycles: lost as f64 / LANES_PER_CYCLE,
        })
    };
    bodies.into_iter().filter_map(finding).collect()
}

/// `1 lane`, `5 lanes`.
fn lanes(mask: u32) -> String {
    match mask.count_ones() {
        1 => "1 lane".into(),
        n => format!("{n} lanes"),
    }
}

/// The first few sets.
fn patterns(sets: &[Sparse]) -> String {
    let one = |set: &Sparse| format!("{} ({} times)", lane_list(set.active), grouped(set.times));
    let shown: Vec<_> = sets.iter().take(3).map(one).collect();
    format!("are lanes {}", shown.join("; "))
}

fn way_out(sets: &[Sparse]) -> Note {
    let apart = |set: &Sparse| set.active.count_ones() > 1 && is_every_nth(set.active);
    let first = |set: &Sparse| set.active & set.active.wrapping_add(1) == 0;
    let text = if sets.iter().any(apart) {
        "the lanes that work lie apart (every second, every fourth ...): number the work so that the first threads of the block do it; \
         whole warps then take the branch or leave it"
    } else if sets.iter().all(first) {
        "the lanes that work are the first of the warp: reduce the last 32 values with warp operations (shuffles) instead of halving the \
         number of lanes"
    } else {
        "let the condition depend on the warp instead of the lane, sort the work so that lanes of a warp take the same way, or compute both \
         sides and select"
    };
    note("help", text)
}

/// Whether the lanes have one distance, of at least two.
fn is_every_nth(mask: u32) -> bool {
    let first = mask.trailing_zeros();
    let rest = mask & mask.wrapping_sub(1);
    let step = rest.trailing_zeros() - first;
    let every = (first..LANES).step_by(step as usize);
    step >= 2 && every.fold(0, |all, lane| all | 1_u32 << lane) & mask == mask
}

pub(super) fn idle_lanes(profile: &Profile) -> Vec<Finding> {
    let mut found = Vec::new();
    let idle = profile.idle;
    let slots = idle.threads + idle.missing;
    let executions: u64 = profile.spots.iter().map(|spot| spot.tally.executions).sum();
    let each = executions as f64 / (idle.threads - idle.idle).max(1) as f64;
    let n_threads: u32 = profile.block.iter().product();
    // From one lane in ten.
    if idle.missing * 10 >= slots && slots > 0 {
        let last = n_threads % LANES;
        let title = format!(
            "blocks of {n_threads} threads: {} of the {} lanes do not exist",
            percent(idle.missing, slots),
            n_threads.next_multiple_of(LANES)
        );
        let mut report = warning(Code::IDLE_LANES, title, None, profile.n_blocks());
        report.notes = vec![
            note(
                "why",
                format!(
                    "warps have {LANES} lanes; the last warp of each block has {last} threads and costs as much as a full one"
                ),
            ),
            note(
                "help",
                format!(
                    "launch blocks of {} or {} threads and guard the index",
                    (n_threads / LANES).max(1) * LANES,
                    n_threads.next_multiple_of(LANES)
                ),
            ),
        ];
        let cycles = idle.missing as f64 * each / LANES_PER_CYCLE;
        found.push(Finding { report, cycles });
    }
    // From one thread in four.
    if idle.idle * 4 >= idle.threads && idle.idle > 0 && executions > 0 {
        let title = format!(
            "{} of the threads ({} of {}) do nothing",
            percent(idle.idle, idle.threads),
            grouped(idle.idle),
            grouped(idle.threads)
        );
        let mut report = warning(Code::IDLE_LANES, title, None, idle.idle);
        report.notes = vec![
            note(
                "why",
                format!(
                    "these threads returned without an access to memory; {} whole warps among them cost only their start, the others hold lanes",
                    grouped(idle.warps)
                ),
            ),
            note(
                "help",
                "launch as many threads as there are elements, rounded up to whole blocks, or let each thread do several (grid stride)",
            ),
        ];
        let lanes = idle.idle.saturating_sub(idle.warps * u64::from(LANES));
        let cycles = lanes as f64 * each / LANES_PER_CYCLE + idle.warps as f64;
        found.push(Finding { report, cycles });
    }
    found
}

pub(super) fn redundant_barriers(profile: &Profile) -> Vec<Finding> {
    let redundant = |barrier: &&Barrier| {
        barrier.counts.passed > 0
            && barrier.counts.needed == 0
            // A kernel cannot leave out a part of a function that it calls.
            && barrier.origin != BarrierOrigin::Library
    };
    let barriers = profile.barriers.iter().filter(redundant);
    let finding = |barrier: &Barrier| {
        let passed = barrier.counts.passed;
        let title = format!(
            "barrier that ordered nothing in this launch ({} times)",
            grouped(passed)
        );
        let mut report = warning(Code::REDUNDANT_BARRIER, title, Some(&barrier.place), passed);
        report.notes = vec![
            note(
                "why",
                "between the barrier before it and the barrier after it no two threads of a block access the same memory, one before this \
                 barrier and one after it, with one of them writing",
            ),
            note(
                "note",
                "this is what one launch did: evidence, not proof. Other inputs may need the barrier",
            ),
            note(
                "help",
                match barrier.origin {
                    BarrierOrigin::Tile => {
                        "a tile changes its phase at this barrier, and its accesses need the phase: if no input can need the barrier, keep                          what each thread reads back itself in a variable instead of the tile, or leave the tile in the phase that it has where                          nothing is accessed in the next one; a DoubleTile takes one barrier per step instead of two"
                    }
                    BarrierOrigin::Kernel | BarrierOrigin::Library => {
                        "if no input can need it, remove it; one barrier at a time, then look again: two of them may stand for each other"
                    }
                },
            ),
        ];
        Finding {
            report,
            cycles: passed as f64 * BARRIER_CYCLES,
        }
    };
    barriers.map(finding).collect()
}

pub(super) fn contention(profile: &Profile) -> Vec<Finding> {
    let dear = |atomic: &&Atomic| {
        atomic.top.hottest.operations >= MOST_OPERATIONS
            // One lane of each warp is what one gets after reducing within warps.
            && atomic.together.sum >= 4 * atomic.together.of
    };
    let atomics = profile.atomics.iter().filter(dear);
    let finding = |atomic: &Atomic| {
        let (top, hot) = (atomic.top, atomic.top.hottest);
        let together = number(atomic.together.ratio().unwrap_or(0.0));
        let at_least = if top.at_least { "at least " } else { "" };
        let place = match atomic.space {
            Space::Global => "one address of global memory",
            Space::Shared => "one address of a block's shared memory",
            Space::Texture => "one element of an array",
        };
        let title = format!(
            "contended atomic: {at_least}{} threads change {place} {} times",
            grouped(hot.threads),
            grouped(hot.operations)
        );
        let mut report = warning(Code::CONTENTION, title, Some(&atomic.place), top.operations);
        let top_address = match atomic.space {
            Space::Global => format!("top address {:#x}", top.address),
            Space::Shared | Space::Texture => "top address".into(),
        };
        report.notes = vec![
            note(
                "why",
                format!(
                    "operations on one address are made one after the other; of a warp, on average {together} lanes meet at one address"
                ),
            ),
            note(
                "note",
                format!(
                    "{top_address}: {} of {} operations, on {} in all",
                    grouped(hot.operations),
                    grouped(top.operations),
                    addresses(top.addresses)
                ),
            ),
            note(
                "help",
                "combine first: within the warp (reduction by shuffles, then one lane), within the block (shared memory, then one thread), or \
                 keep several copies of the counter",
            ),
        ];
        let cycles = match atomic.space {
            Space::Global | Space::Texture => hot.operations as f64,
            Space::Shared => (atomic.together.sum - atomic.together.of) as f64,
        };
        Finding { report, cycles }
    };
    atomics.map(finding).collect()
}

fn addresses(n: u64) -> String {
    match n {
        1 => "1 address".into(),
        n => format!("{} addresses", grouped(n)),
    }
}
