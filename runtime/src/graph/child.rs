//! Graphs as parts of others.

use super::record::Operation;
use super::{Graph, GraphError, Node, Planned};
use crate::error::Error;

/// Where a graph is in another one: made by [`Graph::add_graph`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Child {
    /// The graph that has it.
    graph: u64,
    /// The graph that it was.
    was: u64,
    /// The place of its first node.
    first: usize,
    len: usize,
}

impl Graph {
    /// Adds all nodes of `child`, with their order, and returns where they are. The child stays as it is, and can be added again.
    ///
    /// Each node runs after all nodes of this graph that use a buffer which it uses, too; nodes of the child that share nothing with the
    /// rest may run beside it. Behind them is one more node, without work, for what is to come after all of them: [`Child::end`].
    /// CUDA: `cuGraphAddChildGraphNode`, but that there is one graph afterwards, whose launches can all be
    /// [updated](super::ExecutableGraph::update).
    ///
    /// ```
    /// # let device = warploom_runtime::Device::emulator();
    /// use warploom_runtime::Graph;
    /// # let stream = device.stream()?;
    /// let x = device.upload(&[1u8, 2])?;
    /// let (mut y, mut z) = (device.zeroed::<u8>(2)?, device.zeroed::<u8>(2)?);
    /// let part = Graph::capture(&device, |s| y.copy_from_device(0, &x, s))?;
    /// let mut graph = Graph::new(&device)?;
    /// let child = graph.add_graph(&part)?;
    /// graph.add_after(&[child.end()], |s| z.copy_from_device(0, &y, s))?;
    /// graph.instantiate()?.launch(&stream)?;
    /// assert_eq!(z.to_vec(&stream)?, [1, 2]);
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`GraphError::OtherDevice`].
    pub fn add_graph(&mut self, child: &Graph) -> Result<Child, Error> {
        self.add_graph_after(&[], child)
    }

    /// [`add_graph`](Self::add_graph), to run after the nodes `after`, whatever buffers they use.
    ///
    /// # Errors
    /// Those of [`add_graph`](Self::add_graph), and [`GraphError::OtherGraph`] for a node of another graph.
    pub fn add_graph_after(&mut self, after: &[Node], child: &Graph) -> Result<Child, Error> {
        if after.iter().any(|node| node.graph != self.id) {
            return Err(GraphError::OtherGraph.into());
        }
        if !child.device().is_same(self.device()) {
            return Err(GraphError::OtherDevice {
                child: child.device().name().to_owned(),
                graph: self.device().name().to_owned(),
            }
            .into());
        }
        let asked: Vec<usize> = after.iter().map(|node| node.index).collect();
        let (first, len) = (self.nodes.len(), child.nodes.len());
        let mut is_last = vec![true; len];
        for node in &child.nodes {
            let mut before: Vec<usize> = node.after.iter().map(|index| first + index).collect();
            if before.is_empty() {
                before.clone_from(&asked);
            }
            for index in &node.after {
                is_last[*index] = false;
            }
            let operation = node.operation.clone();
            let after = self.order(&operation, &before);
            self.nodes.push(Planned { operation, after });
        }
        let last = (0..len).filter(|index| is_last[*index]);
        let mut after: Vec<usize> = last.map(|index| first + index).collect();
        if after.is_empty() {
            after = asked;
        }
        after.sort_unstable();
        after.dedup();
        self.nodes.push(Planned {
            operation: Operation::Nothing,
            after,
        });
        Ok(Child {
            graph: self.id,
            was: child.id,
            first,
            len,
        })
    }
}

impl Child {
    /// The node that comes after all nodes of the child.
    #[must_use]
    pub fn end(&self) -> Node {
        Node {
            graph: self.graph,
            index: self.first + self.len,
        }
    }

    /// What a node of the child is in the graph that has it.
    ///
    /// # Errors
    /// [`GraphError::OtherGraph`] for a node of another graph than the child, or one that was added to it later.
    pub fn node(&self, of_child: Node) -> Result<Node, GraphError> {
        if of_child.graph != self.was || of_child.index >= self.len {
            return Err(GraphError::OtherGraph);
        }
        Ok(Node {
            graph: self.graph,
            index: self.first + of_child.index,
        })
    }
}
