//! The driver's graphs: what is recorded, and what can run.

use std::ffi::c_void;
use std::sync::Arc;

use super::context::Context;
use super::copies::{Box3, Memset};
use super::module::Function;
use super::result::DriverError;
use super::stream::Stream;
use super::sys::graphs::{KernelNodeParams, MemsetNodeParams};
use super::sys::{self, CUgraph, CUgraphExec, CUgraphNode};
use crate::launch_shape::CheckedShape;

/// A graph that is being put together. Nodes are handles in it; `after` are nodes of the same graph.
#[derive(Debug)]
pub(crate) struct Graph {
    context: Arc<Context>,
    raw: CUgraph,
}

/// A node of a [`Graph`], and of what was made of it.
#[repr(transparent)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node(CUgraphNode);

impl Graph {
    pub(crate) fn new(context: Arc<Context>) -> Result<Graph, DriverError> {
        context.bind()?;
        let mut raw = CUgraph::NULL;
        // SAFETY: writes one handle to where we point.
        unsafe { context.driver.cuGraphCreate(&raw mut raw, 0)? };
        Ok(Graph { context, raw })
    }

    /// Adds a launch; copies the values that `params` point to.
    ///
    /// # Safety
    /// As [`Function::launch`], but that the memory stays valid while the graph can run.
    pub(crate) unsafe fn add_kernel(
        &mut self,
        after: &[Node],
        function: &Function,
        shape: CheckedShape,
        params: &mut [*mut c_void],
    ) -> Result<Node, DriverError> {
        let described = described(function, shape, params);
        let mut node = CUgraphNode::NULL;
        let driver = &self.context.driver;
        // SAFETY: `Node` is the driver's handle; the caller promises the parameters, which the driver copies.
        unsafe {
            driver.cuGraphAddKernelNode(
                &raw mut node,
                self.raw,
                after.as_ptr().cast(),
                after.len(),
                &raw const described,
            )?;
        }
        let set = |attribute, words: [u32; 3]| {
            let mut value = [0; 16];
            value[..3].copy_from_slice(&words);
            // SAFETY: a node of this graph; the value has the 64 bytes of the driver's union.
            unsafe { driver.cuGraphKernelNodeSetAttribute(node, attribute, &raw const value) }
        };
        if shape.cooperative {
            set(sys::CU_LAUNCH_ATTRIBUTE_COOPERATIVE, [1, 0, 0])?;
        }
        if shape.cluster.at_launch {
            set(
                sys::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                shape.cluster.extents,
            )?;
        }
        Ok(Node(node))
    }

    /// Adds a copy within the device's memory, or between that and another device's.
    ///
    /// # Safety
    /// Both sides stay valid while the graph can run, and do not overlap. None of the extents is zero.
    pub(crate) unsafe fn add_copy(
        &mut self,
        after: &[Node],
        copy: &Box3<'_>,
    ) -> Result<Node, DriverError> {
        let copy = copy.in_space();
        let mut node = CUgraphNode::NULL;
        // SAFETY: as in `add_kernel`; the driver copies the description.
        unsafe {
            self.context.driver.cuGraphAddMemcpyNode(
                &raw mut node,
                self.raw,
                after.as_ptr().cast(),
                after.len(),
                &raw const copy,
                self.context.raw(),
            )?;
        }
        Ok(Node(node))
    }

    /// Adds the zeroing of a 32-bit word.
    ///
    /// # Safety
    /// The word stays valid while the graph can run.
    pub(crate) unsafe fn add_zero(&mut self, after: &[Node], to: u64) -> Result<Node, DriverError> {
        let zero = Memset {
            offset: 0,
            pitch: 0,
            unit: 4,
            value: 0,
            width: 1,
            height: 1,
        };
        // SAFETY: the caller's promise.
        unsafe { self.add_set(after, to, &zero) }
    }

    /// Adds the setting of memory that starts at `to`.
    ///
    /// # Safety
    /// The memory stays valid while the graph can run.
    pub(crate) unsafe fn add_set(
        &mut self,
        after: &[Node],
        to: u64,
        set: &Memset,
    ) -> Result<Node, DriverError> {
        let set = MemsetNodeParams {
            to: to + set.offset as u64,
            pitch: set.pitch,
            value: set.value,
            element_bytes: set.unit as u32, // 1, 2 or 4
            width: set.width,
            height: set.height,
        };
        let mut node = CUgraphNode::NULL;
        // SAFETY: as in `add_copy`.
        unsafe {
            self.context.driver.cuGraphAddMemsetNode(
                &raw mut node,
                self.raw,
                after.as_ptr().cast(),
                after.len(),
                &raw const set,
                self.context.raw(),
            )?;
        }
        Ok(Node(node))
    }

    /// Adds a node without work.
    pub(crate) fn add_empty(&mut self, after: &[Node]) -> Result<Node, DriverError> {
        let mut node = CUgraphNode::NULL;
        // SAFETY: as in `add_copy`.
        unsafe {
            self.context.driver.cuGraphAddEmptyNode(
                &raw mut node,
                self.raw,
                after.as_ptr().cast(),
                after.len(),
            )?;
        }
        Ok(Node(node))
    }

    /// Makes of it what can run.
    pub(crate) fn instantiate(self) -> Result<Executable, DriverError> {
        let mut raw = CUgraphExec::NULL;
        self.context.bind()?;
        // SAFETY: writes one handle to where we point.
        unsafe {
            self.context
                .driver
                .cuGraphInstantiateWithFlags(&raw mut raw, self.raw, 0)?;
        }
        Ok(Executable { raw, graph: self })
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: destroyed once. Through the driver's own table: a graph does not go with its context, lost or not. Errors: the driver is
        // shut down, and the graph with it.
        let _ = unsafe {
            self.context
                .physical_device()
                .driver
                .cuGraphDestroy(self.raw)
        };
    }
}

/// A graph that can run. Keeps the one that it was made of: its nodes name those here.
#[derive(Debug)]
pub(crate) struct Executable {
    raw: CUgraphExec,
    graph: Graph,
}

impl Executable {
    /// Queues all its work.
    ///
    /// # Safety
    /// What the nodes use is alive until the stream got there, and no other work uses it meanwhile. The stream is of the same context.
    pub(crate) unsafe fn launch(&self, stream: &Stream) -> Result<(), Box<DriverError>> {
        stream.bind_default()?;
        let context = &*self.graph.context;
        // SAFETY: graph and stream are alive and of one context; the caller answers for the memory.
        unsafe {
            context
                .driver
                .cuGraphLaunch(context.retry(), self.raw, stream.raw)
        }
    }

    /// Gives a launch another shape and other arguments, for runs from now on.
    ///
    /// # Safety
    /// As [`Graph::add_kernel`].
    pub(crate) unsafe fn set_kernel(
        &mut self,
        node: Node,
        function: &Function,
        shape: CheckedShape,
        params: &mut [*mut c_void],
    ) -> Result<(), DriverError> {
        let described = described(function, shape, params);
        self.graph.context.bind()?;
        // SAFETY: a node of the graph that this was made of; the caller promises the parameters, which the driver copies.
        unsafe {
            self.graph.context.driver.cuGraphExecKernelNodeSetParams(
                self.raw,
                node.0,
                &raw const described,
            )
        }
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        let driver = self.graph.context.physical_device().driver;
        // SAFETY: destroyed once, after the last run (the owner waited). Through the driver's own table, as for the graph. Errors: the
        // driver is shut down, and the graph with it.
        let _ = unsafe { driver.cuGraphExecDestroy(self.raw) };
    }
}

fn described(
    function: &Function,
    shape: CheckedShape,
    params: &mut [*mut c_void],
) -> KernelNodeParams {
    KernelNodeParams {
        function: function.raw,
        grid: shape.grid,
        block: shape.block,
        shared_bytes: shape.dynamic_shared_bytes,
        params: params.as_mut_ptr(),
        extra: std::ptr::null_mut(),
    }
}
