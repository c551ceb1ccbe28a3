//! What the caller reads when a run went wrong.

use std::fmt;

/// Why a run did not end as a kernel should. One run gives one fault: that of the first block, in linear order.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// A thread panicked. Like on a GPU, that thread ended there and all others went on.
    #[error("{message}, at {file}:{line}:{column}, in block {}, thread {}{}", Place(*block), Place(*thread), others(*count))]
    Panic {
        /// The text of the panic.
        message: String,
        /// Source file of the panic; empty if it is not known.
        file: String,
        /// Line, from 1; 0 if it is not known.
        line: u32,
        /// Column, from 1; 0 if it is not known.
        column: u32,
        /// Place of the block in the grid.
        block: [u32; 3],
        /// Place of the thread in its block: the lowest of the block that panicked.
        thread: [u32; 3],
        /// Threads of the whole run that panicked.
        count: u64,
    },
    /// All threads of a block, cluster or cooperative grid that have not returned wait, and none of them can ever go on.
    #[error("{}", stuck(*block, waits))]
    Deadlock {
        /// Place of the block in the grid: the lowest that is stuck.
        block: [u32; 3],
        /// Each distinct thing that is waited for, block by block, in the order of the first thread that waits for it.
        waits: Vec<Wait>,
    },
    /// A thread made more accesses to memory and calls of intrinsics than any thread should. It and all others of its block, cluster or
    /// cooperative grid were unwound, and no further block was started. Found in checked runs only.
    #[error("thread {} of block {} does not come to an end: it has made {steps} accesses to memory and calls of intrinsics", Place(*thread), Place(*block))]
    Endless {
        /// Place of the block in the grid.
        block: [u32; 3],
        /// Place of the thread in its block.
        thread: [u32; 3],
        /// So many: the limit.
        steps: u64,
    },
    /// The clusters do not fit into the grid.
    #[error(
        "cannot run a kernel with grid.{axis} = {given} in clusters of {cluster}: the grid is a whole number of clusters; use a multiple of {cluster}"
    )]
    PartialCluster {
        /// `x`, `y` or `z`.
        axis: char,
        /// Blocks of the grid along this axis.
        given: u32,
        /// Blocks of a cluster along this axis.
        cluster: u32,
    },
    /// A cooperative grid of more blocks than the modelled GPU has room for at a time.
    #[error(
        "cannot run a cooperative grid of {given} blocks: at most {limit} of this size are there at a time; use fewer blocks, and let each do more"
    )]
    GridTooLarge {
        /// Blocks asked for.
        given: u64,
        /// Blocks that are there at a time.
        limit: u64,
    },
    /// The run cannot have this shape.
    #[error(
        "cannot run a kernel with {what} = {given}: it is at least 1 and at most {limit}; use another grid or block size"
    )]
    Shape {
        /// Which number is wrong.
        what: String,
        /// The number.
        given: u64,
        /// The largest allowed.
        limit: u64,
    },
    /// More dynamic shared memory than a block can have.
    #[error(
        "cannot run a kernel with {given} bytes of dynamic shared memory: a block has at most {limit}; use a smaller tile"
    )]
    SharedTooLarge {
        /// Bytes asked for.
        given: u64,
        /// Bytes that a block has.
        limit: u64,
    },
    /// The static shared arrays of a block have no room, alone or beside its dynamic shared memory. Known when a thread first asks for the
    /// last of them: it and all others of its block, cluster or cooperative grid were unwound, and no further block was started.
    #[error("cannot give a block {}", no_room(self))]
    SharedFull {
        /// Bytes of the static arrays that were asked for until then, with gaps for their alignment.
        fixed: u32,
        /// Bytes of dynamic shared memory.
        dynamic: u32,
        /// Bytes that a block has: of static arrays if `fixed` is more than that, otherwise of both together.
        limit: u32,
        /// The element type of the last array.
        type_name: String,
        /// Where a thread asked for it: source file.
        file: String,
        /// Line, from 1.
        line: u32,
        /// Column, from 1.
        column: u32,
    },
    /// A kernel on the emulator tried to start another.
    #[error("cannot run a kernel from inside a kernel; launch it from host code")]
    Nested,
    /// The operating system refused memory for the stacks of waiting threads.
    #[error("cannot make a stack for thread {} of block {}: {cause}; use smaller blocks, fewer workers or a smaller cooperative grid", Place(*thread), Place(*block))]
    OutOfStacks {
        /// Place of the block in the grid.
        block: [u32; 3],
        /// First thread that could not start.
        thread: [u32; 3],
        /// What the operating system said.
        cause: String,
    },
}

/// What a block cannot have, and why.
fn no_room(fault: &Fault) -> String {
    let Fault::SharedFull {
        fixed,
        dynamic,
        limit,
        type_name,
        file,
        line,
        column,
    } = fault
    else {
        return String::new();
    };
    let arrays = format!(
        "{fixed} bytes of static shared arrays (the last: of `{type_name}`, {file}:{line}:{column})"
    );
    if fixed > limit {
        return format!(
            "{arrays}: it has at most {limit}, more only as dynamic shared memory; take a `DynamicShared`, or use smaller arrays"
        );
    }
    let all = u64::from(*fixed) + u64::from(*dynamic);
    format!(
        "{arrays} beside {dynamic} bytes of dynamic shared memory, {all} in all: it has at most {limit}; ask for less dynamic shared memory, or use smaller arrays"
    )
}

/// Threads of one block that wait for the same thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    /// What they wait for.
    pub point: WaitPoint,
    /// Place of their block in the grid.
    pub block: [u32; 3],
    /// How many of them there are.
    pub threads: u32,
    /// The lowest of them: its place in the block.
    pub first: [u32; 3],
    /// Where that one waits: source file.
    pub file: &'static str,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

/// A thing to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaitPoint {
    /// A barrier of the block.
    Barrier {
        /// Its number, 0..16.
        id: u32,
    },
    /// A barrier of the block at which the threads also combine something.
    BarrierReduction {
        /// Its number, 0..16.
        id: u32,
        /// Name of the intrinsic.
        operation: &'static str,
    },
    /// A barrier of the block that opens when so many threads have arrived.
    CountedBarrier {
        /// Its number, 0..16.
        id: u32,
        /// How many have to arrive.
        count: u32,
        /// How many have, those included that did not stay.
        arrived: u32,
    },
    /// A barrier in memory.
    Phase {
        /// The parity of the phase whose end is waited for.
        parity: u32,
    },
    /// An operation of a warp.
    Warp {
        /// Name of the intrinsic.
        operation: &'static str,
        /// The lanes that have to take part.
        mask: u32,
        /// Number of the warp in its block.
        warp: u32,
        /// The lanes of the mask that are here.
        arrived: u32,
    },
    /// A change of memory that the threads poll for. In fast runs: by the intrinsics for atomics, or sleeping in between.
    Memory,
    /// The barrier of the cluster.
    Cluster,
    /// The barrier of the cooperative grid.
    Grid,
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (threads, verb) = match self.threads {
            1 => ("thread", "waits"),
            _ => ("threads", "wait"),
        };
        write!(
            f,
            "{} {threads} (first: {}) {verb} at {}, {}:{}:{}",
            self.threads,
            Place(self.first),
            self.point,
            self.file,
            self.line,
            self.column
        )
    }
}

impl fmt::Display for WaitPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Barrier { id } => write!(f, "barrier {id}"),
            Self::Memory => f.write_str("memory that it polls"),
            Self::Cluster => f.write_str("the barrier of the cluster"),
            Self::Grid => f.write_str("the barrier of the grid"),
            Self::BarrierReduction { id, operation } => {
                write!(f, "barrier {id} with `{operation}`")
            }
            Self::CountedBarrier { id, count, arrived } => {
                write!(f, "barrier {id} for {count} threads ({arrived} there)")
            }
            Self::Phase { parity } => {
                write!(f, "an `Mbarrier` for the end of a phase of parity {parity}")
            }
            Self::Warp {
                operation,
                mask,
                warp,
                arrived,
            } => write!(
                f,
                "`{operation}` of warp {warp} with mask {mask:#010x} (lanes there: {arrived:#010x})"
            ),
        }
    }
}

struct Place([u32; 3]);

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.0;
        write!(f, "({x}, {y}, {z})")
    }
}

fn others(count: u64) -> String {
    match count {
        0 | 1 => String::new(),
        2 => " (and 1 more thread)".into(),
        _ => format!(" (and {} more threads)", count - 1),
    }
}

/// Blocks of one report; the others are counted.
const BLOCKS_SHOWN: usize = 8;

fn stuck(first: [u32; 3], waits: &[Wait]) -> String {
    let blocks: Vec<_> = waits.chunk_by(|a, b| a.block == b.block).collect();
    let describe = |waits: &&[Wait]| {
        let block = waits.first().map_or(first, |wait| wait.block);
        let texts: Vec<_> = waits.iter().map(Wait::to_string).collect();
        format!("block {} is stuck: {}", Place(block), texts.join("; "))
    };
    if blocks.is_empty() {
        return format!("block {} is stuck", Place(first));
    }
    let shown = blocks.iter().take(BLOCKS_SHOWN).map(describe);
    let mut text = shown.collect::<Vec<_>>().join(". ");
    match blocks.len().saturating_sub(BLOCKS_SHOWN) {
        0 => {}
        1 => text.push_str(". 1 more block is stuck"),
        more => text.push_str(&format!(". {more} more blocks are stuck")),
    }
    text
}
