//! Threads of a block that are at the same place.

use super::{Actor, Scene, name, words};
use crate::engine::block::{At, BarrierOp, ThreadState};
use crate::engine::mbarrier::phase;
use crate::site::Site;

/// Threads that wait for the same thing at the same place, or have exited.
pub(super) struct WaiterGroup {
    pub(super) at: At,
    pub(super) place: Site,
    /// Ascending.
    pub(super) threads: Vec<u32>,
}

impl WaiterGroup {
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
pub(super) fn waiter_groups(thread_states: &[ThreadState]) -> Vec<WaiterGroup> {
    let mut waiter_groups: Vec<WaiterGroup> = Vec::new();
    for thread_state in thread_states {
        let found = waiter_groups.iter_mut().find(|group| {
            // Threads that have exited are one group, wherever they were.
            group.at == thread_state.at
                && (group.at == At::Exited || group.place == thread_state.place)
        });
        match found {
            Some(group) => group.threads.push(thread_state.thread),
            None => waiter_groups.push(WaiterGroup {
                at: thread_state.at,
                place: thread_state.place,
                threads: vec![thread_state.thread],
            }),
        }
    }
    waiter_groups
}

/// `128 threads at barrier 0 (a.rs:41:9), 96 ... , 32 exited`: the most first.
pub(super) fn histogram(scene: &Scene<'_, '_>, waiter_groups: &[WaiterGroup]) -> String {
    let mut sorted: Vec<_> = waiter_groups.iter().collect();
    sorted.sort_by_key(|group| {
        (
            group.at == At::Exited,
            std::cmp::Reverse(group.threads.len()),
        )
    });
    let texts: Vec<_> = sorted
        .iter()
        .map(|group| {
            let n = group.threads.len();
            match group.at {
                At::Exited => format!("{n} exited"),
                At::Fresh => format!("{n} not started"),
                at => format!("{n} at {} ({})", point(scene, at), group.place),
            }
        })
        .collect();
    format!(
        "where the {} of the block are: {}",
        words::threads(scene.running.shape.n_threads as usize),
        texts.join(", ")
    )
}

/// Who waits for whom, a line for each group that waits.
pub(super) fn wait_graph(scene: &Scene<'_, '_>, waiter_groups: &[WaiterGroup]) -> Vec<String> {
    let waiting = waiter_groups
        .iter()
        .filter(|group| !matches!(group.at, At::Exited | At::Fresh));
    waiting
        .map(|group| {
            let who = words::numbers(&group.threads);
            let verb = if group.threads.len() == 1 {
                "waits"
            } else {
                "wait"
            };
            let what = point(scene, group.at);
            let place = group.place;
            format!(
                "{who} {verb} at {what} ({place}) for {}",
                missing(scene, group.at, waiter_groups)
            )
        })
        .collect()
}

/// Whom those wait for who wait for `at`.
fn missing(scene: &Scene<'_, '_>, at: At, waiter_groups: &[WaiterGroup]) -> String {
    let mut absent: Vec<u32> = waiter_groups
        .iter()
        .filter(|group| group.at != At::Exited && group.at != at)
        .flat_map(|group| group.threads.iter().copied())
        .collect();
    absent.sort_unstable();
    match at {
        At::Warp { mask, .. } => {
            let of_warp = waiter_groups.iter().find(|group| group.at == at);
            let warp = of_warp.map_or(0, |group| group.threads[0] / 32);
            absent.retain(|thread| thread / 32 == warp && mask >> (thread % 32) & 1 == 1);
            words::numbers(&absent)
        }
        At::Phase { barrier, .. } => {
            let (_, _, pending) = mbarrier(barrier);
            format!("{pending} more arrivals")
        }
        At::Cluster | At::Grid => "other blocks".to_owned(),
        At::BarrierReduction {
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
        At::BarrierReduction { id, op } => op.point(id, scene.core.n_arrived(id, op)).to_string(),
        At::Warp { op, mask } => format!("{} with mask {}", name(op), words::mask(mask)),
        At::Phase { barrier, .. } => {
            let (phase, count, pending) = mbarrier(barrier);
            let arrived = count - pending;
            format!("an `Mbarrier`, phase {phase}, {arrived} of {count} arrivals")
        }
        At::Polls => "memory that it polls".to_owned(),
        At::Cluster => "the barrier of the cluster".to_owned(),
        At::Grid => "the barrier of the grid".to_owned(),
    }
}

/// The phase of a barrier in memory, how many arrive in each, and how many have not yet in this.
pub(super) fn mbarrier(barrier: *mut u64) -> (u64, u64, u64) {
    // SAFETY: a thread waits there, and promised that it is one as long as it does.
    phase(unsafe { barrier.read() })
}
