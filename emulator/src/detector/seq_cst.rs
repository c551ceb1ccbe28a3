//! Sequentially consistent fences of threads other than those that access an atomic (README 6).

use super::order::{Graph, Inner, Release, Root, SYSTEM};

/// The narrowest scope of the fences that are followed here: those of a block order nothing that its barriers do not order.
const DEVICE: u32 = 2;

/// Whether a fence of this scope is followed.
pub(super) fn is_followed(order: u32, scope: u32) -> bool {
    order == 4 && scope >= DEVICE
}

/// What the lanes of a block have left for each other at its barriers.
#[derive(Debug, Default)]
pub(super) struct SeqCst {
    /// By lane: its latest such fence, as a message.
    fences: Vec<Option<u32>>,
    /// The message that stands for all of them, once a write has carried it.
    all: Option<u32>,
    /// What they read by then, of which such a fence is a part.
    read: Vec<Root>,
}

impl SeqCst {
    /// Lane number `lane` of the block has come to a barrier: the message of its latest fence, and what it has read.
    pub(super) fn gather(
        &mut self,
        graph: &Graph,
        (lane, fence): (usize, Option<u32>),
        read: &[Root],
    ) {
        if fence.is_some() {
            if self.fences.len() <= lane {
                self.fences.resize(lane + 1, None);
            }
            if self.fences[lane] != fence {
                self.fences[lane] = fence;
                self.all = None;
            }
        }
        if read.is_empty() {
            return;
        }
        let graph = graph.lock();
        for root in read {
            if graph.has_seq_cst(root.message) && !self.read.contains(root) {
                self.read.push(*root);
            }
        }
    }

    /// Whether there was no such fence before the latest barrier.
    pub(super) fn is_empty(&self) -> bool {
        self.fences.is_empty()
    }

    /// The message of all fences before the latest barrier, for a write of lane `who`. `shift`: bits of a lane's number inside its block.
    pub(super) fn fences(&mut self, graph: &mut Inner, who: u32, shift: u32) -> u32 {
        *self.all.get_or_insert_with(|| {
            let roots = self.fences.iter().flatten();
            let roots = roots.map(|message| Root::of_release(*message, who));
            let fences = Release::of_fences(who, shift, roots.collect());
            graph.release(fences, SYSTEM)
        })
    }

    /// What was read since the first `known` of them.
    pub(super) fn read(&self, known: usize) -> &[Root] {
        &self.read[known.min(self.read.len())..]
    }
}
