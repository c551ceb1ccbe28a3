//! Work that is recorded once and run often: the nodes of a graph, and the graph that can run.
//!
//! A node is recorded by giving its work to a stream that records: the same typed launches and copies as ever, with all their checks.
//! Nodes that use the same buffer run in the order in which they were added; others may run side by side. So no graph has a race, and
//! dependencies need not be given. CUDA programming guide: "CUDA Graphs".

mod child; // graphs within graphs
pub(crate) mod error; // why a graph cannot be made or changed
mod executable; // a graph that can run
pub(crate) mod record; // what is remembered of each node

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub use child::Child;
pub use error::GraphError;
pub use executable::ExecutableGraph;

use self::record::{Operation, Recording};
use crate::device::Device;
use crate::error::Error;
use crate::stream::Stream;

/// Kernels, copies and fills with their order, to run any number of times at the cost of one launch. CUDA: `CUgraph`.
///
/// Nodes keep the memory that they use: it stays until the last graph with them is gone, even if its buffer is dropped. Values are those of
/// the time of recording. A buffer can be used as ever between the runs; a run waits, on the device, for other streams' work on the
/// buffers that it uses, and they for it.
///
/// ```
/// # let device = warploom_runtime::Device::emulator();
/// use warploom_runtime::Graph;
/// # let stream = device.stream()?;
/// let x = device.upload(&[1u32, 2, 3, 4])?;
/// let mut y = device.zeroed::<u32>(4)?;
/// let mut graph = Graph::new(&device)?;
/// // Kernels likewise: `graph.add(|s| saxpy::launch(s, Launch::covering(4), 2.0, &x, &mut y))`.
/// graph.add(|s| y.copy_from_device(0, x.slice(2..)?, s))?;
/// graph.add(|s| y.copy_from_device(2, x.slice(..2)?, s))?;
/// let graph = graph.instantiate()?;
/// graph.launch(&stream)?;
/// assert_eq!(y.to_vec(&stream)?, [3, 4, 1, 2]);
/// # Ok::<(), warploom_runtime::Error>(())
/// ```
pub struct Graph {
    id: u64,
    /// Of no user: it is what recording streams are made of, and has the word at which cooperative grids meet.
    stream: Stream,
    nodes: Vec<Planned>,
}

/// A node of one [`Graph`], and of what was made of it. CUDA: `CUgraphNode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Node {
    graph: u64,
    index: usize,
}

/// A node with its order: the nodes that run before it.
struct Planned {
    operation: Operation,
    after: Vec<usize>,
}

impl Graph {
    /// A graph without nodes.
    ///
    /// # Errors
    /// [`StreamError::Driver`](crate::StreamError::Driver) if the driver refuses. None on the emulator.
    pub fn new(device: &Device) -> Result<Graph, Error> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Ok(Graph {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            stream: device.stream()?,
            nodes: vec![],
        })
    }

    /// A graph of all that `record` gives to the stream that it gets, in that order.
    ///
    /// `record` runs now, once. What it does otherwise (to the host's memory, say) is no part of the graph.
    /// CUDA: `cuStreamBeginCapture` to `cuStreamEndCapture`; other streams and other libraries' work are not captured.
    ///
    /// # Errors
    /// Those of `record`; [`StreamError::Recording`](crate::StreamError::Recording) where it waits; [`GraphError::Nothing`].
    pub fn capture<E>(
        device: &Device,
        record: impl FnOnce(&Stream) -> Result<(), E>,
    ) -> Result<Graph, Error>
    where
        Error: From<E>,
    {
        let mut graph = Graph::new(device)?;
        graph.add(record)?;
        Ok(graph)
    }

    /// Adds what `record` gives to the stream that it gets: a launch, a copy within the device or
    /// [from another](crate::DeviceBuffer::copy_from_peer), a fill, or several, one after the other. Returns the last node. It runs after
    /// all nodes that use a buffer which it uses, too.
    ///
    /// # Errors
    /// Those of `record`, as for an ordinary stream: a launch is checked now. Nothing is added then.
    /// [`StreamError::Recording`](crate::StreamError::Recording) for what a graph has no node for: waiting, copies to and from the host's
    /// memory, events. [`GraphError::Nothing`] if nothing was recorded.
    pub fn add<E>(&mut self, record: impl FnOnce(&Stream) -> Result<(), E>) -> Result<Node, Error>
    where
        Error: From<E>,
    {
        self.add_after(&[], record)
    }

    /// [`add`](Self::add), to run after the nodes `after`, whatever buffers they use.
    ///
    /// # Errors
    /// Those of [`add`](Self::add), and [`GraphError::OtherGraph`] for a node of another graph.
    pub fn add_after<E>(
        &mut self,
        after: &[Node],
        record: impl FnOnce(&Stream) -> Result<(), E>,
    ) -> Result<Node, Error>
    where
        Error: From<E>,
    {
        if after.iter().any(|node| node.graph != self.id) {
            return Err(GraphError::OtherGraph.into());
        }
        let operations = recorded(&self.stream, record)?;
        if operations.is_empty() {
            return Err(GraphError::Nothing.into());
        }
        let mut before: Vec<usize> = after.iter().map(|node| node.index).collect();
        for operation in operations {
            let index = self.nodes.len();
            let after = self.order(&operation, &before);
            self.nodes.push(Planned { operation, after });
            before = vec![index];
        }
        Ok(Node {
            graph: self.id,
            index: self.nodes.len() - 1,
        })
    }

    /// The nodes that `operation` comes after: `asked`, and the last of those that it shares something with.
    fn order(&self, operation: &Operation, asked: &[usize]) -> Vec<usize> {
        let latest = |shares: &dyn Fn(&Operation) -> bool| {
            self.nodes.iter().rposition(|node| shares(&node.operation))
        };
        let mut after = asked.to_vec();
        for buffer in operation.buffers() {
            after.extend(latest(&|other| {
                other.buffers().any(|used| used.is_same(buffer))
            }));
        }
        if operation.is_cooperative() {
            after.extend(latest(&Operation::is_cooperative));
        }
        after.sort_unstable();
        after.dedup();
        after
    }

    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The device that it runs on.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.stream.device()
    }

    /// The graph in the language of Graphviz: a node for each launch, by the kernel's name, and for each copy and fill; an edge for each
    /// order.
    /// CUDA: `cuGraphDebugDotPrint`.
    ///
    /// ```
    /// # let device = warploom_runtime::Device::emulator();
    /// # use warploom_runtime::Graph;
    /// let (x, mut y) = (device.upload(&[1u8])?, device.zeroed::<u8>(1)?);
    /// let graph = Graph::capture(&device, |s| y.copy_from_device(0, &x, s))?;
    /// assert_eq!(graph.to_dot(), "digraph {\n  n0 [label=\"copy\"];\n}\n");
    /// # Ok::<(), warploom_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn to_dot(&self) -> String {
        let mut text = String::from("digraph {\n");
        for (index, node) in self.nodes.iter().enumerate() {
            text += &format!("  n{index} [label=\"{}\"];\n", node.operation.name());
            for before in &node.after {
                text += &format!("  n{before} -> n{index};\n");
            }
        }
        text + "}\n"
    }

    /// Makes a graph that can run. CUDA: `cuGraphInstantiate`.
    ///
    /// # Errors
    /// [`GraphError::Driver`] if the driver refuses. None on the emulator.
    pub fn instantiate(self) -> Result<ExecutableGraph, Error> {
        Ok(ExecutableGraph::new(self.id, self.stream, self.nodes)?)
    }
}

/// What `record` gave to a stream like `stream` that records.
fn recorded<E>(
    stream: &Stream,
    record: impl FnOnce(&Stream) -> Result<(), E>,
) -> Result<Vec<Operation>, E> {
    let recording = Arc::new(Recording::new());
    let done = record(&stream.recorder(Arc::clone(&recording)));
    // Whatever came of it: a stream that was carried off takes no more.
    let operations = recording.take();
    done.map(|()| operations)
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph")
            .field("device", self.device())
            .field("nodes", &self.nodes.len())
            .finish_non_exhaustive()
    }
}
