//! A graph that can run.

use std::ffi::c_void;
use std::fmt;
use std::panic::Location;
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard};

use warploom_emulator::check;

use super::record::{Operation, RecordedCopy, RecordedFill, RecordedLaunch};
use super::{GraphError, Node, Planned, recorded};
use crate::buffer::{Buffer, CopyKind, Region};
use crate::cuda::callback::run_outside_callback;
use crate::cuda::copies::{Box3, Corner, Rows};
use crate::cuda::graph::{Executable, Graph as CudaGraph, Node as CudaNode};
use crate::cuda::{Context, DriverError};
use crate::device::order::{self, Submissions};
use crate::device::{Backend, Device, Gpu, Submission};
use crate::error::Error;
use crate::launch::emulate::run_recorded;
use crate::memory::{LiveObject, Object};
use crate::stream::{Queue, Stream, reject_in_host_callback};
use crate::sync::lock;

/// A graph that can run, any number of times. CUDA: `CUgraphExec`.
///
/// Runs of one graph follow one another, on whatever streams. Dropping it waits for the last one.
pub struct ExecutableGraph {
    id: u64,
    nodes: Vec<Planned>,
    /// Each once.
    buffers: Vec<Buffer>,
    /// What a run launches, each kernel and line once.
    lines: Vec<Lines>,
    /// Whether some are of other devices.
    has_peers: bool,
    cuda: Option<Cuda>,
    /// The stream of the last run.
    last: Mutex<Option<Arc<Queue>>>,
    _live: LiveObject,
    /// What its nodes were recorded with. Last: it has memory that nodes use.
    stream: Stream,
}

/// The launches of one kernel by one line of the program, in a run.
struct Lines {
    /// The whole name, and that for messages.
    names: [&'static str; 2],
    /// Grid and block of the last of them.
    shape: [[u32; 3]; 2],
    at: &'static Location<'static>,
    times: u64,
}

impl Lines {
    fn is(&self, [name, _]: [&'static str; 2], at: &'static Location<'static>) -> bool {
        ptr::eq(self.names[0], name) && ptr::eq(self.at, at)
    }
}

/// The driver's graph, and its node for each of ours.
struct Cuda {
    graph: Executable,
    nodes: Vec<CudaNode>,
}

impl ExecutableGraph {
    pub(super) fn new(
        id: u64,
        stream: Stream,
        nodes: Vec<Planned>,
    ) -> Result<ExecutableGraph, GraphError> {
        let cuda = match &stream.device().0.backend {
            Backend::Emulator(_) => None,
            Backend::Cuda(gpu) => Some(Cuda::new(&gpu.context, &stream, &nodes)?),
        };
        let mut graph = ExecutableGraph {
            id,
            nodes,
            buffers: vec![],
            lines: vec![],
            has_peers: false,
            cuda,
            last: Mutex::default(),
            _live: LiveObject::new(stream.device(), Object::ExecutableGraph),
            stream,
        };
        graph.list();
        Ok(graph)
    }

    /// Lists what the nodes use and launch.
    fn list(&mut self) {
        let mut buffers: Vec<Buffer> = vec![];
        for buffer in self.nodes.iter().flat_map(|node| node.operation.buffers()) {
            if !buffers.iter().any(|known| known.is_same(buffer)) {
                buffers.push(buffer.clone());
            }
        }
        let own = self.stream.device();
        self.has_peers = buffers.iter().any(|buffer| !buffer.device().is_same(own));
        self.buffers = buffers;
        let mut lines: Vec<Lines> = vec![];
        for launch in self.nodes.iter().filter_map(Planned::launch) {
            let names = [launch.kernel.get().name, launch.name];
            let shape = [launch.shape.grid, launch.shape.block];
            match lines
                .iter_mut()
                .find(|known| known.is(names, launch.caller))
            {
                Some(known) => (known.shape, known.times) = (shape, known.times + 1),
                None => lines.push(Lines {
                    names,
                    shape,
                    at: launch.caller,
                    times: 1,
                }),
            }
        }
        self.lines = lines;
    }

    /// Its own device and those of its buffers.
    fn devices(&self) -> impl Iterator<Item = &Device> {
        let of_buffers = self.buffers.iter().map(|buffer| buffer.device());
        of_buffers.chain([self.device()])
    }

    /// The device that it runs on.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.stream.device()
    }

    /// Runs all nodes, in order with the work on `stream`; does not wait. CUDA: `cuGraphLaunch`.
    ///
    /// A kernel's panic, and what the emulator's checks find, are reported where the stream is next waited for; other nodes run all the
    /// same.
    ///
    /// # Errors
    /// [`GraphError::WrongDevice`], [`GraphError::Driver`]; [`StreamError::Recording`](crate::StreamError::Recording) for a stream that
    /// records another graph.
    pub fn launch(&self, stream: &Stream) -> Result<(), Error> {
        if !self.device().is_same(stream.device()) {
            return Err(GraphError::WrongDevice {
                graph: self.device().name().to_owned(),
                stream: stream.device().name().to_owned(),
            }
            .into());
        }
        reject_in_host_callback()?;
        stream.refuse_recording("run another graph")?;
        match &self.cuda {
            None => self.emulate(stream)?,
            Some(cuda) => self.queue(cuda, stream).map_err(|mut error| {
                // It may be the first call to report that earlier work failed.
                self.device()
                    .add_candidate_launches(Some(stream.number()), &mut error);
                GraphError::from(error)
            })?,
        }
        if self.device().is_launch_blocking() {
            stream.synchronize()?;
        }
        Ok(())
    }

    fn emulate(&self, stream: &Stream) -> Result<(), Error> {
        let Some(emulated) = self.device().0.backend.emulated() else {
            return Ok(());
        };
        self.device().flush_prints(); // before the locks: handlers may use the device
        let _alone = order::exclusive_memory_access(self.devices());
        for node in &self.nodes {
            match &node.operation {
                Operation::Launch(launch) => run_recorded(emulated, stream, launch)?,
                Operation::Copy(copy) => {
                    // SAFETY: two ranges of memory that the graph keeps; they do not overlap (one was borrowed exclusively), and
                    // nothing else works on the emulator's memory now.
                    unsafe { copy.to.copy_from_nonoverlapping(copy.from, copy.bytes) };
                    check::copied(copy.to, copy.from, copy.bytes);
                }
                Operation::Box(copy) => {
                    if let Some((Region::Memory(from), Region::Memory(to))) = copy.sides() {
                        // SAFETY: two areas of memory that the graph keeps, and as above.
                        unsafe { from.write_to(to, CopyKind::DeviceToDevice, stream) };
                    }
                }
                // SAFETY: memory that the graph keeps, and as above.
                Operation::Fill(fill) => unsafe { fill.get().write() },
                Operation::Nothing => {}
            }
        }
        Ok(())
    }

    fn queue(&self, cuda: &Cuda, stream: &Stream) -> Result<(), DriverError> {
        let (Backend::Cuda(gpu), Some(to)) = (&self.device().0.backend, stream.queue().cuda())
        else {
            return Ok(());
        };
        self.device().flush_prints();
        let (mut submission, _others) = self.submissions(gpu);
        for buffer in &self.buffers {
            buffer.record_use(stream.queue())?;
        }
        // SAFETY: the graph keeps all memory that its nodes use; the buffers note this stream, and wait for it before they hand over or
        // free their memory; dropping the graph waits for it, too.
        unsafe { cuda.graph.launch(to) }.map_err(|error| *error)?;
        let number = stream.queue().id();
        for Lines {
            names,
            shape,
            at,
            times,
        } in &self.lines
        {
            let recent = &mut submission.recent;
            recent.note_times(number, *names, *shape, at, *times);
        }
        let mut last = lock(&self.last);
        if !last
            .as_ref()
            .is_some_and(|last| Arc::ptr_eq(last, stream.queue()))
        {
            *last = Some(Arc::clone(stream.queue()));
        }
        Ok(())
    }

    /// The submission lock of its own GPU, and those of all other GPUs whose memory it uses.
    fn submissions<'a>(&'a self, own: &'a Gpu) -> (MutexGuard<'a, Submission>, Submissions<'a>) {
        if self.has_peers {
            let mut others = order::submissions(self.devices());
            if let Some(submission) = others.take(own) {
                return (submission, others);
            }
        }
        (own.submission(), Submissions::None)
    }

    /// Gives a node the launch that `record` gives to the stream that it gets: the same kernel with another shape or other arguments, for
    /// all runs from now on. CUDA: `cuGraphExecKernelNodeSetParams`.
    ///
    /// # Errors
    /// Those of `record`. [`GraphError::OtherGraph`] for a node of another graph; [`GraphError::OtherWork`] if it is no single launch of
    /// the same kernel; [`GraphError::NewOrder`] if it uses a buffer that another node uses and the node did not. The graph stays as it
    /// was then.
    pub fn update<E>(
        &mut self,
        node: Node,
        record: impl FnOnce(&Stream) -> Result<(), E>,
    ) -> Result<(), Error>
    where
        Error: From<E>,
    {
        if node.graph != self.id {
            return Err(GraphError::OtherGraph.into());
        }
        let operations = recorded(&self.stream, record)?;
        let new = self.check_update(node.index, operations)?;
        if let (Some(cuda), Some(cuda_stream)) = (&mut self.cuda, self.stream.queue().cuda()) {
            let word = word(&new, cuda_stream).map_err(GraphError::from)?;
            let (args, mut addresses) = (new.args(), vec![]);
            for arg in &args {
                arg.addresses(&word, |address| addresses.push(address));
            }
            if let Some(function) = &new.function {
                // SAFETY: one address per parameter, as `submit` checked; the graph keeps the memory from here on.
                let set = unsafe {
                    cuda.graph.set_kernel(
                        cuda.nodes[node.index],
                        function,
                        new.shape,
                        &mut addresses,
                    )
                };
                set.map_err(GraphError::from)?;
            }
        }
        self.nodes[node.index].operation = Operation::Launch(new);
        // A run that is under way uses what the node had: its buffers wait for that before they free their memory.
        self.list();
        Ok(())
    }

    /// What node `index` becomes, if it can.
    fn check_update(
        &self,
        index: usize,
        mut operations: Vec<Operation>,
    ) -> Result<Arc<RecordedLaunch>, GraphError> {
        let old = &self.nodes[index].operation;
        let other_work = |given: &str| GraphError::OtherWork {
            expected: old.name().to_owned(),
            given: given.to_owned(),
        };
        let new = match (operations.pop(), operations.len(), old) {
            (Some(Operation::Launch(new)), 0, Operation::Launch(old)) if new.can_replace(old) => {
                new
            }
            (Some(Operation::Launch(new)), 0, old) if new.name == old.name() => {
                let given = format!("`{}` of another module, or with other clusters", new.name);
                return Err(other_work(&given));
            }
            (Some(one), 0, _) => return Err(other_work(one.name())),
            (Some(_), others, _) => return Err(other_work(&format!("{} nodes", others + 1))),
            (None, ..) => return Err(GraphError::Nothing),
        };
        for buffer in new.args.iter().filter_map(|arg| arg.buffer()) {
            let uses = |operation: &Operation| operation.buffers().any(|b| b.is_same(buffer));
            if uses(old) {
                continue;
            }
            if let Some(other) = self.nodes.iter().find(|node| uses(&node.operation)) {
                return Err(GraphError::NewOrder {
                    node: old.name(),
                    other: other.operation.name(),
                });
            }
        }
        Ok(new)
    }
}

impl Drop for ExecutableGraph {
    fn drop(&mut self) {
        let (last, cuda) = (lock(&self.last).take(), self.cuda.take());
        // The word at which cooperative grids meet is its own: a run may be under way on another stream.
        let own = Arc::clone(self.stream.queue());
        run_outside_callback(move || {
            if let Some(stream) = last.as_ref().and_then(|queue| queue.cuda()) {
                // Errors: the context is broken, and nothing runs any more. The next wait reports it.
                let _ = stream.synchronize();
            }
            drop(cuda);
            drop(own);
        });
    }
}

impl Planned {
    fn launch(&self) -> Option<&RecordedLaunch> {
        match &self.operation {
            Operation::Launch(launch) => Some(launch),
            _ => None,
        }
    }
}

impl Cuda {
    fn new(
        context: &Arc<Context>,
        stream: &Stream,
        planned: &[Planned],
    ) -> Result<Cuda, DriverError> {
        let mut graph = CudaGraph::new(Arc::clone(context))?;
        let mut nodes: Vec<CudaNode> = Vec::with_capacity(planned.len());
        for Planned { operation, after } in planned {
            let after: Vec<CudaNode> = after.iter().map(|index| nodes[*index]).collect();
            nodes.push(match operation {
                Operation::Launch(launch) => add_launch(&mut graph, stream, &after, launch)?,
                Operation::Copy(copy) => add_copy(&mut graph, &after, copy)?,
                Operation::Box(copy) => match copy.sides() {
                    // SAFETY: memory and arrays that the graph keeps; one side was borrowed exclusively, so they do not overlap.
                    Some((from, to)) => unsafe { graph.add_copy(&after, &from.within(to))? },
                    None => graph.add_empty(&after)?,
                },
                Operation::Fill(fill) => add_fill(&mut graph, &after, fill)?,
                Operation::Nothing => graph.add_empty(&after)?,
            });
        }
        Ok(Cuda {
            graph: graph.instantiate()?,
            nodes,
        })
    }
}

fn add_copy(
    graph: &mut CudaGraph,
    after: &[CudaNode],
    copy: &RecordedCopy,
) -> Result<CudaNode, DriverError> {
    if copy.bytes == 0 {
        return graph.add_empty(after);
    }
    let side = |start: u64| {
        let row = Rows {
            start,
            pitch: copy.bytes,
            rows: 1,
        };
        match copy.is_between_devices() {
            true => Corner::Anywhere(row),
            false => Corner::Device(row),
        }
    };
    let row = Box3 {
        from: side(copy.from.addr() as u64),
        to: side(copy.to.addr() as u64),
        width: copy.bytes,
        height: 1,
        depth: 1,
    };
    // SAFETY: two ranges of memory that the graph keeps; one was borrowed exclusively, so they do not overlap.
    unsafe { graph.add_copy(after, &row) }
}

fn add_fill(
    graph: &mut CudaGraph,
    after: &[CudaNode],
    fill: &RecordedFill,
) -> Result<CudaNode, DriverError> {
    let fill = fill.get();
    let to = fill.to.addr() as u64;
    let mut nodes = Vec::new();
    for set in fill.calls() {
        // SAFETY: within memory that the graph keeps.
        nodes.push(unsafe { graph.add_set(after, to, &set)? });
    }
    match nodes[..] {
        [one] => Ok(one),
        [] => graph.add_empty(after),
        // Columns of one fill, side by side: all of them come before what comes after the fill.
        _ => graph.add_empty(&nodes),
    }
}

fn add_launch(
    graph: &mut CudaGraph,
    stream: &Stream,
    after: &[CudaNode],
    launch: &RecordedLaunch,
) -> Result<CudaNode, DriverError> {
    let (Some(function), Some(cuda)) = (&launch.function, stream.queue().cuda()) else {
        return graph.add_empty(after);
    };
    let word = word(launch, cuda)?;
    let zeroed;
    let after = if launch.shape.cooperative {
        // SAFETY: the word is the stream's, which the graph keeps; cooperative nodes of a graph follow one another.
        zeroed = [unsafe { graph.add_zero(after, word)? }];
        &zeroed[..]
    } else {
        after
    };
    let (args, mut addresses): (_, Vec<*mut c_void>) = (launch.args(), vec![]);
    for arg in &args {
        arg.addresses(&word, |address| addresses.push(address));
    }
    // SAFETY: one address per parameter of the device function, in order: `submit` compared the layouts. The graph keeps the memory.
    unsafe { graph.add_kernel(after, function, launch.shape, &mut addresses) }
}

/// The address of the word at which the blocks of a cooperative grid meet; 0 for other launches.
fn word(launch: &RecordedLaunch, stream: &crate::cuda::stream::Stream) -> Result<u64, DriverError> {
    if launch.shape.cooperative {
        stream.grid_barrier()
    } else {
        Ok(0)
    }
}

impl fmt::Debug for ExecutableGraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExecutableGraph")
            .field("device", self.device())
            .field("nodes", &self.nodes.len())
            .finish_non_exhaustive()
    }
}
