//! Why a graph cannot be made, changed or run.

use crate::cuda::DriverError;

/// Why a graph cannot be made, changed or run.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// Nothing was given to the stream that records.
    #[error(
        "nothing was recorded for the node; give a launch, a copy or a fill to the stream that the closure gets"
    )]
    Nothing,
    /// A node belongs to another graph.
    #[error("the node belongs to another graph; use nodes that `add` of this one returned")]
    OtherGraph,
    /// Graph and stream belong to different devices.
    #[error(
        "the graph belongs to another device ({graph}) than the stream ({stream}); make both from the same `Device` or its clones"
    )]
    WrongDevice {
        /// The graph's device.
        graph: String,
        /// The stream's device.
        stream: String,
    },
    /// Two graphs of different devices.
    #[error(
        "a graph of {child} cannot be part of one of {graph}: record both for the same `Device` or its clones"
    )]
    OtherDevice {
        /// The device of the part.
        child: String,
        /// The device of the graph that was to have it.
        graph: String,
    },
    /// A node cannot become what was recorded for it.
    #[error(
        "cannot make {given} of the node of {expected}: an update is one launch of the same kernel with the same cluster; record a new graph"
    )]
    OtherWork {
        /// What the node does.
        expected: String,
        /// What was recorded.
        given: String,
    },
    /// A node's new arguments use a buffer of another node, which it is in no order with.
    #[error(
        "cannot give the node of {node} a buffer that the node of {other} uses: the graph has no order for the two; record a new graph"
    )]
    NewOrder {
        /// What the node does.
        node: &'static str,
        /// What the other one does.
        other: &'static str,
    },
    /// The driver refused a call.
    #[error("the driver refused the graph: {0}")]
    Driver(#[from] DriverError),
}
