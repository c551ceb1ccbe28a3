//! Barriers of the cluster and of the grid that not all blocks reach.

use super::waiters::{WaiterGroup, waiter_groups};
use super::{Actor, Scene, words};
use crate::engine::block::At;
use crate::engine::co_resident::CoResidentBlocks;
use crate::finding::{Code, Report, Side};

/// Blocks that a report lists; the others are counted.
const BLOCKS_SHOWN: usize = 8;

/// Reports that threads wait for other blocks which never come. All threads that have not exited do.
pub(super) fn report(set: &CoResidentBlocks<'_>) {
    let mut found = WaiterSummary::default();
    set.each(|running| {
        let core = running.core();
        let scene = Scene::new(running, &core);
        let waiter_groups = waiter_groups(&running.thread_states(&core));
        found.add(&scene, &waiter_groups);
    });
    let (Some((at, actor, side)), Some(reporter)) = (found.waits, found.waits_in) else {
        return;
    };
    let (name, reach) = match at {
        At::Cluster => ("cluster", "the cluster"),
        _ => ("grid", "the cooperative grid"),
    };
    let title = format!(
        "the barrier of the {name}: {} of {} blocks wait, the others never come",
        found.n_waiting, found.n_blocks
    );
    let mut report = Report::new(Code::GRID_STUCK, title).side(side);
    let other = found.other;
    if let Some((_, side)) = &other {
        report = report.side(side.clone());
    }
    if found.lines.len() > BLOCKS_SHOWN {
        let more = found.lines.len() - BLOCKS_SHOWN;
        found.lines.truncate(BLOCKS_SHOWN);
        found.lines.push(format!("... and {more} more"));
    }
    let report = report
        .why(format!("it opens when every block of {reach} is there with all its threads that have not exited"))
        .note(format!("where the blocks are: {}", found.lines.join("; ")))
        .help("let all blocks come to it equally often: no block returns before, and none skips a round");
    let mut report = Some(report);
    set.each(|running| {
        if running.member == reporter
            && let Some(report) = report.take()
        {
            let core = running.core();
            let scene = Scene::new(running, &core);
            scene.report(
                report,
                [Some(actor), other.as_ref().map(|(actor, _)| *actor)],
                0,
                1,
            );
        }
    });
}

#[derive(Default)]
struct WaiterSummary {
    n_blocks: usize,
    n_waiting: usize,
    /// The first group that waits.
    waits: Option<(At, Actor, Side)>,
    waits_in: Option<usize>,
    /// The first that is elsewhere.
    other: Option<(Actor, Side)>,
    lines: Vec<String>,
}

impl WaiterSummary {
    fn add(&mut self, scene: &Scene<'_, '_>, waiter_groups: &[WaiterGroup]) {
        self.n_blocks += 1;
        let block = scene.running.registers.block.get();
        let waits = waiter_groups
            .iter()
            .find(|group| matches!(group.at, At::Cluster | At::Grid));
        let texts: Vec<_> = waiter_groups
            .iter()
            .map(|group| {
                let n = words::threads(group.threads.len());
                match group.at {
                    At::Exited => format!("{n} exited"),
                    _ => format!("{n} at {}", group.place),
                }
            })
            .collect();
        self.lines
            .push(format!("block {block:?}: {}", texts.join(", ")));
        let side = |group: &WaiterGroup| scene.side(group.actor(), group.did(scene));
        match waits {
            Some(group) => {
                self.n_waiting += 1;
                let first_at = self.waits.as_ref().map(|(at, ..)| *at);
                if first_at.is_none() {
                    self.waits = Some((group.at, group.actor(), side(group)));
                    self.waits_in = Some(scene.running.member);
                }
                // Some wait for the cluster and others for the grid.
                if first_at.is_some_and(|at| at != group.at) && self.other.is_none() {
                    self.other = Some((group.actor(), side(group)));
                }
            }
            None => {
                if let (None, Some(group)) = (&self.other, waiter_groups.first()) {
                    self.other = Some((group.actor(), side(group)));
                }
            }
        }
    }
}
