//! Graphs, their nodes, and running them.

use std::ffi::c_void;

use super::kinds::{Copy3D, rows};
use super::modules::{Attribute, Config, checked};
use crate::code::Code;
use crate::graph::{Executable, Graph, Node};
use crate::state::{Held, driver, not_null, put};
use crate::work::{Address, Work, submit};

/// What a kernel's node is told.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct KernelParams {
    function: u64,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
}

/// What a node that fills memory is told.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct MemsetParams {
    to: u64,
    pitch: usize,
    value: u32,
    element_bytes: u32,
    width: usize,
    height: usize,
}

const _: () = assert!(size_of::<KernelParams>() == 56 && size_of::<MemsetParams>() == 40);

/// Adds a node to a graph.
///
/// # Safety
/// `node` is null or can be written; there are `n` handles at `after`.
unsafe fn add(
    state: &mut Held,
    (node, graph): (*mut u64, u64),
    (after, n): (*const u64, usize),
    work: Vec<Work>,
) -> Result<(), Code> {
    not_null(node)?;
    if n > 0 {
        not_null(after)?;
    }
    let mut before = vec![];
    // SAFETY: the caller's promise.
    let after = (n > 0).then(|| unsafe { std::slice::from_raw_parts(after, n) });
    for handle in after.unwrap_or_default() {
        let (of, place) = *state.graph_nodes.get(*handle)?;
        if of != graph || before.contains(&place) {
            return Err(Code::INVALID_VALUE);
        }
        before.push(place);
    }
    let nodes = &mut state.graphs.get_mut(graph)?.nodes;
    nodes.push(Node {
        work,
        after: before,
    });
    let place = nodes.len() - 1;
    let made = state.graph_nodes.add((graph, place));
    // SAFETY: the caller's promise.
    unsafe { put(node, made) }
}

/// The launch that a kernel's node is told.
///
/// # Safety
/// `params` is null or as the driver's manual says.
unsafe fn launch(state: &Held, params: *const KernelParams) -> Result<Work, Code> {
    // SAFETY: the caller's promise.
    let told = unsafe { *not_null(params)? };
    let config = Config {
        grid: told.grid,
        block: told.block,
        shared: told.shared,
        stream: 0,
        attributes: std::ptr::null::<Attribute>(),
        n_attributes: 0,
    };
    // SAFETY: the caller's promise.
    let launch = unsafe { checked(state, told.function, &config, (told.params, told.extra))? };
    Ok(Work::Launch(launch))
}

driver! {
    /// Makes a graph without nodes.
    fn cuGraphCreate(state; graph: *mut u64, flags: u32) needs Init {
        not_null(graph)?;
        if flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        let made = state.graphs.add(Graph::default());
        put(graph, made)
    }

    /// Destroys a graph; what can run of it still can.
    fn cuGraphDestroy(state; graph: u64) needs Init {
        state.graphs.remove(graph)?;
        state.graph_nodes.retain(|_, node| node.0 != graph);
        Ok(())
    }

    /// Adds a launch.
    fn cuGraphAddKernelNode(state; node: *mut u64, graph: u64, after: *const u64, n: usize, params: *const KernelParams) needs Context {
        let work = launch(state, params)?;
        add(state, (node, graph), (after, n), vec![work])
    }

    /// Sets an attribute of a launch: cooperative grid or cluster.
    fn cuGraphKernelNodeSetAttribute(state; node: u64, attribute: i32, value: *const [u32; 16]) needs Context {
        not_null(value)?;
        let (graph, place) = *state.graph_nodes.get(node)?;
        match &state.graphs.get(graph)?.nodes[place].work[..] {
            [Work::Launch(_)] if matches!(attribute, 2 | 4) => Ok(()),
            _ => Err(Code::INVALID_VALUE),
        }
    }

    /// Adds a copy: of rows, within the device or between devices, and of arrays.
    fn cuGraphAddMemcpyNode(
        state; node: *mut u64, graph: u64, after: *const u64, n: usize, copy: *const Copy3D, context: u64,
    ) needs Context {
        let copy = *not_null(copy)?;
        if context != state.current()? || copy.is_empty() {
            return Err(Code::INVALID_VALUE);
        }
        let own = state.contexts.get(context)?.device;
        let mut sides = vec![];
        for side in [copy.from, copy.to] {
            let places = rows(state, &side, &copy)?;
            for place in &places {
                let Address::Device(at) = place else {
                    return Err(Code::NOT_SUPPORTED); // the host's memory
                };
                let theirs = state.region_of(*at, 1).map(|(region, _)| region.device);
                if !side.is_anywhere() && theirs != Some(own) {
                    return Err(Code::INVALID_VALUE);
                }
            }
            sides.push(places);
        }
        let to = sides.pop().unwrap_or_default();
        let from = sides.pop().unwrap_or_default();
        let bytes = copy.row_bytes();
        let work = from.into_iter().zip(to).map(|(from, to)| Work::Copy { to, from, bytes });
        let work = work.collect();
        add(state, (node, graph), (after, n), work)
    }

    /// Adds a fill: of rows that do not overlap.
    fn cuGraphAddMemsetNode(
        state; node: *mut u64, graph: u64, after: *const u64, n: usize, set: *const MemsetParams, context: u64,
    ) needs Context {
        let MemsetParams { to, pitch, value, element_bytes, width, height } = *not_null(set)?;
        let known = matches!(element_bytes, 1 | 2 | 4);
        if context != state.current()? || !known || width == 0 || height == 0 {
            return Err(Code::INVALID_VALUE);
        }
        let bytes = element_bytes as usize;
        let aligned = to.is_multiple_of(u64::from(element_bytes)) && value >> (8 * bytes - 1) >> 1 == 0;
        // The pitch of a single row is not read.
        if !aligned || height > 1 && (pitch < width * bytes || !pitch.is_multiple_of(bytes)) {
            return Err(Code::INVALID_VALUE);
        }
        let mut work = vec![];
        for row in 0..height {
            let to = to + (row * pitch) as u64;
            state.resolve(to, width * bytes)?;
            work.push(Work::Fill { to, value, width: bytes, count: width });
        }
        add(state, (node, graph), (after, n), work)
    }

    /// Adds a node without work.
    fn cuGraphAddEmptyNode(state; node: *mut u64, graph: u64, after: *const u64, n: usize) needs Context {
        add(state, (node, graph), (after, n), vec![])
    }

    /// Makes of a graph what can run.
    fn cuGraphInstantiateWithFlags(state; exec: *mut u64, graph: u64, flags: u64) needs Context {
        not_null(exec)?;
        if flags > 15 {
            return Err(Code::INVALID_VALUE);
        }
        let (context, nodes) = (state.current()?, state.graphs.get(graph)?.nodes.clone());
        let made = state.executables.add(Executable { context, graph, nodes });
        put(exec, made)
    }

    /// Destroys what can run.
    fn cuGraphExecDestroy(state; exec: u64) needs Init {
        state.executables.remove(exec).map(drop)
    }

    /// Gives a launch another shape and other arguments.
    fn cuGraphExecKernelNodeSetParams(state; exec: u64, node: u64, params: *const KernelParams) needs Context {
        let work = launch(state, params)?;
        let (graph, place) = *state.graph_nodes.get(node)?;
        let found = state.executables.get_mut(exec)?;
        match found.nodes.get_mut(place) {
            Some(Node { work: old, .. }) if found.graph == graph && matches!(old[..], [Work::Launch(_)]) => *old = vec![work],
            _ => return Err(Code::INVALID_VALUE),
        }
        Ok(())
    }

    /// Gives a stream all work of a graph.
    fn cuGraphLaunch(state; exec: u64, stream: u64) needs Context {
        let found = state.executables.get(exec)?;
        if found.context != state.current()? {
            return Err(Code::INVALID_VALUE);
        }
        for work in found.work() {
            state.launches += u64::from(matches!(work, Work::Launch(_)));
            submit(state, stream, work)?;
        }
        Ok(())
    }
}
