//! What a finding says.

use std::fmt;

use crate::site::SiteId;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Probably not meant; the run counts as good.
    Warning,
    /// The launch fails.
    Error,
}

/// The class of a finding: a number that stays the same from version to version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(u16);

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $number:literal $severity:ident $title:literal;)*) => {
        impl Code {
            $($(#[$doc])* pub const $name: Code = Code($number);)*

            /// Every class, in the order of the numbers.
            pub const ALL: &[Code] = &[$(Code::$name),*];

            /// One line that says what happened, in general.
            #[must_use]
            pub fn title(self) -> &'static str {
                match self.0 { $($number => $title,)* _ => "unknown" }
            }

            /// How bad it is unless something else is said.
            #[must_use]
            pub fn severity(self) -> Severity {
                match self.0 { $($number => Severity::$severity,)* _ => Severity::Error }
            }

            /// The name of the constant.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self.0 { $($number => stringify!($name),)* _ => "UNKNOWN" }
            }
        }
    };
}

codes! {
    /// An access outside of every allocation in global memory, or beyond the end of one.
    GLOBAL_BOUNDS = 1 Error "out of bounds in global memory";
    /// An access outside of the shared array that the pointer belongs to.
    SHARED_BOUNDS = 2 Error "out of bounds in shared memory";
    /// An access to another thread's local memory, or outside of the thread's own local variable.
    LOCAL_BOUNDS = 3 Error "out of bounds in local memory";
    /// An address that is no multiple of what the access needs.
    MISALIGNED = 4 Error "misaligned access";
    /// A kernel's access to memory that only the host has.
    HOST_MEMORY = 5 Error "access to host memory from a kernel";
    /// A write to constant memory, a kernel parameter or a constant of the program.
    READ_ONLY = 6 Error "write to read-only memory";
    /// An access outside of a surface, in the mode in which that ends the kernel.
    SURFACE_BOUNDS = 7 Error "out of bounds of a surface";
    /// An access to memory that was freed.
    USE_AFTER_FREE = 10 Error "use of freed memory";
    /// Memory of the device's heap that was freed twice or never allocated.
    BAD_FREE = 11 Error "free of what is not allocated";
    /// Memory of the device's heap that no thread freed.
    LEAK = 12 Warning "memory that was never freed";
    /// An access to the shared memory of another block of the cluster, which may have exited.
    SHARED_EXITED = 13 Error "access to shared memory of a block that may have exited";
    /// A read of shared memory that no thread of the block has written.
    SHARED_UNINIT = 20 Error "read of uninitialised shared memory";
    /// A read of global memory that was never written.
    GLOBAL_UNINIT = 21 Error "read of uninitialised global memory";
    /// A read of a copy's destination before the copy was waited for.
    COPY_NOT_WAITED = 22 Error "read of the target of an asynchronous copy that was not waited for";
    /// A write to a copy's source before the copy was waited for.
    COPY_SOURCE = 23 Error "write to the source of an asynchronous copy that was not waited for";
    /// A bulk copy from shared memory that threads wrote, without a proxy fence between.
    PROXY_FENCE = 24 Error "bulk copy from shared memory that was written without a proxy fence";
    /// Two threads of different warps write the same shared memory without a barrier between them.
    SHARED_RACE_WRITES = 100 Error "race on shared memory: two writes without a barrier between them";
    /// A read and a write of the same shared memory, by different warps, without a barrier between them.
    SHARED_RACE = 101 Error "race on shared memory: read and write without a barrier between them";
    /// Two lanes of one warp write the same shared memory without synchronising the warp.
    WARP_RACE_WRITES = 102 Error "race within a warp: two writes without a warp barrier between them";
    /// A read and a write of the same shared memory by two lanes of one warp, without synchronising the warp.
    WARP_RACE = 103 Error "race within a warp: read and write without a warp barrier between them";
    /// Two lanes of one warp access the same shared memory by volatile accesses without synchronising the warp.
    WARP_VOLATILE = 104 Warning "volatile accesses within a warp without a warp barrier between them";
    /// Threads of one block write the same global memory without a barrier between them.
    GLOBAL_RACE_WRITES = 110 Error "race on global memory: two writes of one block without a barrier between them";
    /// A read and a write of the same global memory in one block, without a barrier between them.
    GLOBAL_RACE = 111 Error "race on global memory: read and write of one block without a barrier between them";
    /// Two blocks write the same global memory.
    GRID_RACE_WRITES = 112 Error "race between blocks: two writes to global memory";
    /// A block reads what another writes.
    GRID_RACE = 113 Error "race between blocks: read and write of global memory";
    /// Several threads write the same value to the same place at the same time.
    SAME_VALUE = 114 Warning "several threads write the same value without order";
    /// Launches of different streams access the same buffer, and no stream waits for the other.
    LAUNCH_RACE = 115 Error "race between launches of two streams";
    /// The host, or a copy, accesses a buffer before a launch that accesses it is over.
    HOST_RACE = 116 Error "the host accesses memory before a launch that accesses it is over";
    /// An atomic and an ordinary access that nothing orders.
    MIXED_ATOMIC = 120 Error "an atomic and an ordinary access to the same memory without order";
    /// Atomics that meet, with a scope that does not reach the other thread.
    NARROW_SCOPE = 121 Error "atomic operation whose scope does not include the other thread";
    /// Data handed over through an atomic without release or acquire.
    MISSING_ORDER = 122 Error "data handed over through an atomic that does not order it";
    /// Atomics of different sizes that overlap and that nothing orders.
    MIXED_SIZES = 123 Error "atomics of different sizes on the same memory without order";
    /// Threads of a block wait at a barrier that others will never come to.
    BARRIER_DIVERGENCE = 200 Error "barrier that not all threads of the block reach";
    /// Threads returned although others wait at a barrier.
    EXIT_BEFORE_BARRIER = 201 Note "threads returned before a barrier that others reach";
    /// Threads wait at different barriers.
    DIFFERENT_BARRIERS = 202 Error "threads of a block wait at different barriers";
    /// Participants of a barrier name different numbers of threads.
    BARRIER_COUNT = 203 Error "a barrier whose participants disagree about their number";
    /// Threads meet at one barrier from different places of the program.
    BARRIER_PLACES = 204 Warning "one barrier, reached from different places of the program";
    /// A lane calls a warp operation with a mask that it is not in.
    NOT_IN_MASK = 210 Error "a lane is not in the mask of its own warp operation";
    /// Lanes of a mask never come to the operation.
    LANE_MISSING = 211 Error "a lane that the mask names never arrives";
    /// Lanes of one operation give different masks.
    MASKS_DIFFER = 212 Error "lanes of one warp operation give different masks";
    /// Lanes of one mask are in different operations.
    OPERATIONS_DIFFER = 213 Error "lanes of one mask wait in different warp operations";
    /// A shuffle reads from a lane that takes no part.
    INACTIVE_SOURCE = 214 Error "shuffle from a lane that takes no part in it";
    /// Lanes meet at one warp operation from different places of the program.
    WARP_PLACES = 215 Warning "one warp operation, reached from different places of the program";
    /// Threads wait for a barrier in memory whose phase never ends.
    MBARRIER_STUCK = 220 Error "a barrier in memory whose phase never ends";
    /// Threads poll for something that never changes.
    SPIN_STUCK = 221 Error "threads poll memory that no thread will change";
    /// Blocks wait for the whole grid, or cluster, and some will never come.
    GRID_STUCK = 222 Error "a barrier of the grid or cluster that not all blocks reach";
    /// Threads wait for one another.
    DEADLOCK = 223 Error "threads wait for one another";
    /// A thread runs far longer than it should without coming to an end.
    STEP_LIMIT = 224 Error "a thread does not come to an end";
    /// An integer operation overflowed.
    OVERFLOW = 310 Error "integer overflow";
    /// A thread panicked.
    PANIC = 400 Error "a thread panicked";
    /// Neighbouring lanes access memory that does not lie together.
    UNCOALESCED = 500 Warning "uncoalesced access to global memory";
    /// Lanes access different words of one bank.
    BANK_CONFLICT = 501 Warning "bank conflict in shared memory";
    /// Lanes of a warp take different ways.
    DIVERGENCE = 502 Warning "divergent branch";
    /// Lanes that do nothing.
    IDLE_LANES = 503 Warning "idle lanes";
    /// A barrier between whose sides no thread sees what another wrote.
    REDUNDANT_BARRIER = 504 Warning "barrier that orders nothing";
    /// Many threads change one atomic.
    CONTENTION = 505 Warning "contended atomic";
    /// Neighbouring lanes read elements of a texture that do not lie together.
    SCATTERED_FETCHES = 506 Warning "scattered reads of a texture";
    /// CPU and GPU disagree.
    MISMATCH = 910 Error "emulator and GPU give different results";
    /// A finding was allowed without a reason.
    NO_REASON = 920 Warning "finding allowed without a reason";
    /// What is allowed was not found.
    UNUSED_ALLOWANCE = 921 Warning "permission that no finding needs";
    /// A comment for warploom that cannot be read.
    BAD_ALLOWANCE = 922 Warning "permission that cannot be read";
}

impl Code {
    /// The number.
    #[must_use]
    pub fn number(self) -> u16 {
        self.0
    }

    /// The class of this number.
    #[must_use]
    pub fn of_number(number: u16) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.0 == number)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WL{:04}", self.0)
    }
}

/// A place in the source.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// Source file.
    pub file: String,
    /// Line, from 1; 0 if it is not known.
    pub line: u32,
    /// Column, from 1; 0 if it is not known.
    pub column: u32,
}

/// Which thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Who {
    /// Place of its block in the grid.
    pub block: [u32; 3],
    /// Its place in the block.
    pub thread: [u32; 3],
    /// Its warp.
    pub warp: u32,
    /// Its place in the warp.
    pub lane: u32,
}

/// One of the two sides of a finding (or of more, or the only one).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    /// The line to show; `None` if it is not known.
    pub place: Option<Place>,
    /// Functions that the place was called from, innermost first; without the place itself.
    pub stack: Vec<crate::site::Frame>,
    /// The thread, or the lowest of them.
    pub who: Option<Who>,
    /// What it did, as the end of a sentence that starts with the thread: `reads tile[28] (4 bytes)`.
    pub did: String,
}

/// A sentence below the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// `why`, `note` or `help`.
    pub label: &'static str,
    /// The sentence.
    pub text: String,
}

/// One finding. Findings of one class at the same lines are one, with a count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Its class.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// One line that says what happened, with names and numbers.
    pub title: String,
    /// The access or call that was found first, then the other side.
    pub sides: Vec<Side>,
    /// Why it is wrong, what else is known, what to do.
    pub notes: Vec<Note>,
    /// How often it was found.
    pub count: u64,
    /// The kernel; empty if it is not known.
    pub kernel: String,
    /// The launch, in words: shape, place, number; empty if it is not known.
    pub launch: String,
    /// How to run it again in the same order.
    pub replay: String,
}

impl Report {
    /// A finding without sides and notes, found once, as bad as its class says.
    #[must_use]
    pub fn new(code: Code, title: impl Into<String>) -> Report {
        Report {
            code,
            severity: code.severity(),
            title: title.into(),
            sides: vec![],
            notes: vec![],
            count: 1,
            kernel: String::new(),
            launch: String::new(),
            replay: String::new(),
        }
    }

    /// The same with one more side.
    #[must_use]
    pub fn side(mut self, side: Side) -> Report {
        self.sides.push(side);
        self
    }

    /// The same with a reason why it is wrong.
    #[must_use]
    pub fn why(self, text: impl Into<String>) -> Report {
        self.noted("why", text)
    }

    /// The same with something worth knowing.
    #[must_use]
    pub fn note(self, text: impl Into<String>) -> Report {
        self.noted("note", text)
    }

    /// The same with something to do.
    #[must_use]
    pub fn help(self, text: impl Into<String>) -> Report {
        self.noted("help", text)
    }

    fn noted(mut self, label: &'static str, text: impl Into<String>) -> Report {
        let text = text.into();
        self.notes.push(Note { label, text });
        self
    }
}

impl Side {
    /// What a launch did at a place of instrumented code, whichever of its threads.
    #[must_use]
    pub(crate) fn of_launch(site: SiteId, did: String) -> Side {
        let (place, stack) = shown(site);
        Side {
            place,
            stack,
            who: None,
            did,
        }
    }

    /// What a thread did at a place of instrumented code, with the functions that it was called from.
    #[must_use]
    pub fn at(site: SiteId, who: Who, did: impl Into<String>) -> Side {
        let (place, stack) = shown(site);
        Side {
            place,
            stack,
            who: Some(who),
            did: did.into(),
        }
    }
}

/// The place to show of a site, and the functions that it was called from.
fn shown(site: SiteId) -> (Option<Place>, Vec<crate::site::Frame>) {
    let Some(info) = crate::site::site(site) else {
        return (None, vec![]);
    };
    let frame = info.frame();
    let place = Place {
        file: frame.file.clone(),
        line: frame.line,
        column: frame.column,
    };
    (Some(place), info.frames[info.shown_frame() + 1..].to_vec())
}
