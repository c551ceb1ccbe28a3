//! Shared memory of other blocks of a cluster: it is there until its block has exited (README 15).

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::access::Access;
use super::slot::{AccessKind, Slot};
use super::space::Space;
use super::state::{BlockChecks, RunChecks};
use super::{describe, race};
use crate::engine::fiber::Running;
use crate::finding::{Code, Report};

/// Accesses of other blocks to the shared memory of one since the latest barrier of the cluster that it reached: the last of each lane.
#[derive(Debug, Default)]
pub(super) struct RemoteAccesses(RefCell<BTreeMap<u32, Remote>>);

#[derive(Debug, Clone)]
struct Remote {
    by: Slot,
    /// What was accessed.
    name: String,
}

impl RemoteAccesses {
    pub(super) fn clear(&self) {
        self.0.borrow_mut().clear();
    }
}

/// The lane that runs accesses the shared memory of another block.
#[cold]
pub(super) fn accesses(
    running: &Running<'static>,
    checks: &BlockChecks,
    space: &Space,
    (address, bytes): (usize, usize),
    what: AccessKind,
) {
    let at = std::ptr::without_provenance(address);
    let found = running.locate_shared(at);
    let Some(owner) = found.and_then(|(rank, _)| running.cluster_member(rank)) else {
        return;
    };
    let Some(of_owner) = BlockChecks::of(&owner) else {
        return;
    };
    let access = Access::new(running, checks, space, (address, bytes), what, None);
    let by = access.now;
    let is_over = owner.core().n_live() == 0;
    if !is_over {
        let mut all = of_owner.remote.0.borrow_mut();
        let is_known = |known: &Remote| known.by.what.site() == by.what.site();
        match all.get_mut(&by.who) {
            // The name is that of the first: to find it out takes longer than all the rest.
            Some(known) if is_known(known) => known.by = by,
            _ => {
                let name = describe::name(&access);
                all.insert(by.who, Remote { by, name });
            }
        }
    } else if of_owner.only_returned() {
        let name = describe::name(&access);
        report(of_owner, by, &name);
    }
}

/// All blocks of a set are over: reports accesses that nothing orders before the end of the block whose memory it was.
pub(super) fn finish<'a>(blocks: impl Iterator<Item = &'a BlockChecks>) {
    for checks in blocks {
        let all = std::mem::take(&mut *checks.remote.0.borrow_mut());
        if !checks.only_returned() {
            continue;
        }
        let mut sites = BTreeSet::new();
        for Remote { by, name } in all.values() {
            if !sites.contains(&by.what.site()) && !is_known(checks, *by) {
                sites.insert(by.what.site());
                report(checks, *by, name);
            }
        }
    }
}

/// Whether a lane of the block knows the access: then it came before the block's end.
fn is_known(checks: &BlockChecks, by: Slot) -> bool {
    let (clocks, run) = (&checks.clocks, checks.run());
    let first = clocks.base.get();
    let mut lanes = (0..run.shape.n_threads).map(|thread| first | thread);
    lanes.any(|lane| clocks.is_ordered(&run.graph, lane, by.who, by.t))
}

/// `owner`: the block whose memory it is.
fn report(owner: &BlockChecks, by: Slot, name: &str) {
    let run: &RunChecks = owner.run();
    race::tell(
        run,
        by.who,
        [by.what.site(), 0],
        Code::SHARED_EXITED,
        || {
            let block = run.who(owner.clocks.base.get()).block;
            let verb = if by.what.is(AccessKind::WRITE) {
                "writes"
            } else {
                "reads"
            };
            let [x, y, z] = block;
            Report::new(Code::SHARED_EXITED, format!("{} (`{name}`)", Code::SHARED_EXITED.title()))
            .side(race::side(owner, by, format!("{verb} {name} of block ({x},{y},{z})")))
            .why("the shared memory of a block ends when its threads have returned, and nothing orders this access before that")
            .help("let all blocks of the cluster wait for each other, `cluster.sync()`, behind the last access to the memory of another block")
        },
    );
}
