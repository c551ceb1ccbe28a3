//! Graphs, and the order in which their nodes run: the latest that are ready come first, so that a missing dependency shows.

use crate::work::Work;

/// A graph that is being put together.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
}

/// One node.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    /// Nothing for an empty node; a fill is a piece for each row.
    pub(crate) work: Vec<Work>,
    /// Places of the nodes before it.
    pub(crate) after: Vec<usize>,
}

/// A graph that can run.
#[derive(Debug)]
pub(crate) struct Executable {
    pub(crate) context: u64,
    pub(crate) graph: u64,
    pub(crate) nodes: Vec<Node>,
}

impl Executable {
    /// All work, in an order that the nodes allow.
    pub(crate) fn work(&self) -> Vec<Work> {
        let mut done = vec![false; self.nodes.len()];
        let mut all = vec![];
        while let Some(next) = (0..done.len())
            .rev()
            .find(|i| !done[*i] && self.nodes[*i].after.iter().all(|before| done[*before]))
        {
            done[next] = true;
            all.extend(self.nodes[next].work.clone());
        }
        all
    }
}
