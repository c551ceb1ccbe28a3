//! Threads of a block that are at the same place.

use super::{Actor, Scene, name, words};
use crate::block::{At, BarrierOp, Standing};
use crate::intrinsics::phase;
use crate::place::Place;

/// Threads that wait for the same thing at the same place, or have exited.
pub(super) struct Crowd {
    pub(super) at: At,
    pub(super) place: Place,
    /// Ascending.
    pub(super) threads: Vec<u32>,
}

impl Crowd {
    pub(super) fn actor(&self) -> Actor {
        Actor {
            thread: self.threads[0],
            place: self.place,
        }
    }

    /// What the first of them does, as the end of a sentence.
    pub(super) fn did(&self, scene: &Scene<'_, '_>) -> String {
        let others = match self.threads.len() - 1 {
            0 => String::new(),
            1 => ", and 1 more thread".to_owned(),
            n => format!(", and {n} more threads"),
        };
        match self.at {
            At::Exited => format!("has exited; this is where it waited last{others}"),
            at => format!("waits at {}{others}", point(scene, at)),
        }
    }
}

/// All threads of the block, by what they wait for and where; the lowest first.
pub(super) fn crowds(standings: &[Standing]) -> Vec<Crowd> {
    let mut crowds: Vec<Crowd> = Vec::new();
    for standing in standings {
        let found = crowds.iter_mut().find(|crowd| {
            // Threads that have exited are one crowd, wherever they were.
            crowd.at == standing.at && (crowd.at == At::Exited || crowd.place == standing.place)
        });
        match found {
            Some(crowd) => crowd.threads.push(standing.thread),
            None => crowds.push(Crowd {
                at: standing.at,
                place: standing.place,
                threads: vec![standing.thread],
            }),
        }
    }
    crowds
}

/// `128 threads at barrier 0 (a.rs:41:9), 96 ... , 32 exited`: the most first.
pub(super) fn histogram(scene: &Scene<'_, '_>, crowds: &[Crowd]) -> String {
    let mut sorted: Vec<_> = crowds.iter().collect();
    sorted.sort_by_key(|crowd| {
        (
            crowd.at == At::Exited,
            std::cmp::Reverse(crowd.threads.len()),
        )
    });
    let texts: Vec<_> = sorted
        .iter()
        .map(|crowd| {
            let n = crowd.threads.len();
            match crowd.at {
                At::Exited => format!("{n} exited"),
                At::Fresh => format!("{n} not started"),
                at => format!("{n} at {} ({})", point(scene, at), crowd.place),
            }
        })
        .collect();
    format!(
        "where the {} of the block are: {}",
        words::threads(scene.running.shape.n_threads as usize),
        texts.join(", ")
    )
}

/// Who waits for whom, a line for each crowd that waits.
pub(super) fn wait_graph(scene: &Scene<'_, '_>, crowds: &[Crowd]) -> Vec<String> {
    let waiting = crowds
        .iter()
        .filter(|crowd| !matches!(crowd.at, At::Exited | At::Fresh));
    waiting
        .map(|crowd| {
            let who = words::numbers(&crowd.threads);
            let verb = if crowd.threads.len() == 1 {
                "waits"
            } else {
                "wait"
            };
            let what = point(scene, crowd.at);
            let place = crowd.place;
            format!(
                "{who} {verb} at {what} ({place}) for {}",
                missing(scene, crowd.at, crowds)
            )
        })
        .collect()
}

/// Whom those wait for who wait for `at`.
fn missing(scene: &Scene<'_, '_>, at: At, crowds: &[Crowd]) -> String {
    let mut absent: Vec<u32> = crowds
        .iter()
        .filter(|crowd| crowd.at != At::Exited && crowd.at != at)
        .flat_map(|crowd| crowd.threads.iter().copied())
        .collect();
    absent.sort_unstable();
    match at {
        At::Warp { mask, .. } => {
            let of_warp = crowds.iter().find(|crowd| crowd.at == at);
            let warp = of_warp.map_or(0, |crowd| crowd.threads[0] / 32);
            absent.retain(|thread| thread / 32 == warp && mask >> (thread % 32) & 1 == 1);
            words::numbers(&absent)
        }
        At::Phase { barrier, .. } => {
            let (_, _, pending) = mbarrier(barrier);
            format!("{pending} more arrivals")
        }
        At::Cluster | At::Grid => "other blocks".to_owned(),
        At::Meeting {
            id,
            op: op @ BarrierOp::Threads(count),
        } => {
            format!(
                "{} more threads",
                count.saturating_sub(scene.core.n_arrived(id, op))
            )
        }
        _ => words::numbers(&absent),
    }
}

/// What is waited for.
pub(super) fn point(scene: &Scene<'_, '_>, at: At) -> String {
    match at {
        At::Exited => "its end".to_owned(),
        At::Fresh => "its start".to_owned(),
        At::Barrier { id } => format!("barrier {id}"),
        At::Meeting { id, op } => op.point(id, scene.core.n_arrived(id, op)).to_string(),
        At::Warp { op, mask } => format!("{} with mask {}", name(op), words::mask(mask)),
        At::Phase { barrier, .. } => {
            let (phase, count, pending) = mbarrier(barrier);
            let arrived = count - pending;
            format!("an `Mbarrier`, phase {phase}, {arrived} of {count} arrivals")
        }
        At::Polls => "memory that it looks at again and again".to_owned(),
        At::Cluster => "the barrier of the cluster".to_owned(),
        At::Grid => "the barrier of the grid".to_owned(),
    }
}

/// The phase of a barrier in memory, how many arrive in each, and how many have not yet in this.
pub(super) fn mbarrier(barrier: *mut u64) -> (u64, u64, u64) {
    // SAFETY: a thread waits there, and promised that it is one as long as it does.
    phase(unsafe { barrier.read() })
}
