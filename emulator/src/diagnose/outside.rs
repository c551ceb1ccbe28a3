//! Barriers of the cluster and of the grid that not all blocks reach.

use super::crowd::{Crowd, crowds};
use super::{Actor, Scene, words};
use crate::block::At;
use crate::check::{Code, Report, Side};
use crate::set::Set;

/// Blocks that a report lists; the others are counted.
const BLOCKS_SHOWN: usize = 8;

/// Reports that threads wait for other blocks which never come. All threads that have not exited do.
pub(super) fn report(set: &Set<'_>) {
    let mut found = Found::default();
    set.each(|running| {
        let core = running.core();
        let scene = Scene::new(running, &core);
        let crowds = crowds(&running.standings(&core));
        found.add(&scene, &crowds);
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
struct Found {
    n_blocks: usize,
    n_waiting: usize,
    /// The first crowd that waits.
    waits: Option<(At, Actor, Side)>,
    waits_in: Option<usize>,
    /// The first that is elsewhere.
    other: Option<(Actor, Side)>,
    lines: Vec<String>,
}

impl Found {
    fn add(&mut self, scene: &Scene<'_, '_>, crowds: &[Crowd]) {
        self.n_blocks += 1;
        let block = scene.running.block.get();
        let waits = crowds
            .iter()
            .find(|crowd| matches!(crowd.at, At::Cluster | At::Grid));
        let texts: Vec<_> = crowds
            .iter()
            .map(|crowd| {
                let n = words::threads(crowd.threads.len());
                match crowd.at {
                    At::Exited => format!("{n} exited"),
                    _ => format!("{n} at {}", crowd.place),
                }
            })
            .collect();
        self.lines
            .push(format!("block {block:?}: {}", texts.join(", ")));
        let side = |crowd: &Crowd| scene.side(crowd.actor(), crowd.did(scene));
        match waits {
            Some(crowd) => {
                self.n_waiting += 1;
                let first_at = self.waits.as_ref().map(|(at, ..)| *at);
                if first_at.is_none() {
                    self.waits = Some((crowd.at, crowd.actor(), side(crowd)));
                    self.waits_in = Some(scene.running.member);
                }
                // Some wait for the cluster and others for the grid.
                if first_at.is_some_and(|at| at != crowd.at) && self.other.is_none() {
                    self.other = Some((crowd.actor(), side(crowd)));
                }
            }
            None => {
                if let (None, Some(crowd)) = (&self.other, crowds.first()) {
                    self.other = Some((crowd.actor(), side(crowd)));
                }
            }
        }
    }
}
