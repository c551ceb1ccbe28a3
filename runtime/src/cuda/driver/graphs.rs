//! Functions for graphs and their nodes.

use super::super::sys::graphs::{KernelNodeParams, MemsetNodeParams};
use super::super::sys::memory::CUDA_MEMCPY3D;
use super::*;

later! {
    graphs {
        since "10.0": fn cuGraphCreate(graph: *mut CUgraph, flags: c_uint);
        since "10.0": fn cuGraphDestroy(graph: CUgraph);
        since "10.0": fn cuGraphAddKernelNode(
            node: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, n_after: usize, params: *const KernelNodeParams,
        );
        since "11.0": fn cuGraphKernelNodeSetAttribute(node: CUgraphNode, attribute: c_int, value: *const [c_uint; 16]);
        since "10.0": fn cuGraphAddMemcpyNode(
            node: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, n_after: usize, copy: *const CUDA_MEMCPY3D, context: CUcontext,
        );
        since "10.0": fn cuGraphAddMemsetNode(
            node: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, n_after: usize, set: *const MemsetNodeParams,
            context: CUcontext,
        );
        since "10.0": fn cuGraphAddEmptyNode(node: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, n_after: usize);
        since "11.4": fn cuGraphInstantiateWithFlags(exec: *mut CUgraphExec, graph: CUgraph, flags: u64);
        since "10.0": fn cuGraphExecDestroy(exec: CUgraphExec);
        since "10.1": fn cuGraphExecKernelNodeSetParams(exec: CUgraphExec, node: CUgraphNode, params: *const KernelNodeParams);
    }
    unbound {
        since "10.0": fn cuGraphLaunch(exec: CUgraphExec, stream: CUstream);
    }
}
