//! Accesses to the fields of one vector: instrumented code tells of each, NVIDIA's compiler makes one instruction of them.
//!
//! Device code reads a structure of four `f32` that is aligned to 16 bytes field by field. The compiler for the GPU merges neighbouring
//! accesses if the first is known to be aligned to what they have together. That is known here too: an access comes with the alignment that
//! the code promises, and it may be more than the access's own size.

use super::{Access, AccessClass, Space};

/// Accesses that may become wider, of the thread that runs. Code reads the fields of two or three vectors in turns.
const MOST_OPEN: usize = 4;

/// The widest access that is one instruction.
const WIDEST: u32 = 16;

/// The latest accesses that begin a vector.
#[derive(Debug, Default)]
pub(crate) struct Vectors {
    open: [Option<Vector>; MOST_OPEN],
    /// Which of them is replaced next.
    next: usize,
    /// Whether there is one.
    any: bool,
}

/// An access that begins a vector, and what the accesses after it added.
#[derive(Debug, Clone, Copy)]
struct Vector {
    block: u64,
    thread: u32,
    kind: AccessClass,
    space: Option<Space>,
    start: u64,
    bytes: u32,
    /// So many bytes from `start` on are one instruction at most.
    most: u32,
    request: Counted,
}

/// Where an access was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counted {
    /// The number of its place.
    pub(crate) slot: u32,
    /// In which interval of its lane.
    pub(crate) interval: u32,
    /// Executions of the place by its lane before, in this interval.
    pub(crate) before: u32,
}

impl Vectors {
    /// Whether an access may go on where an earlier one ended.
    #[inline]
    pub(crate) fn is_any_open(&self) -> bool {
        self.any
    }

    /// Whether an access goes on where an earlier one of the same thread ended, within one vector: where that was counted, and the bytes of
    /// both.
    #[inline]
    pub(crate) fn extend(&mut self, access: &Access) -> Option<(Counted, u32)> {
        if !self.any {
            return None;
        }
        let goes_on = |vector: &&mut Vector| {
            (vector.thread, vector.block) == (access.thread, access.block)
                && (vector.kind, vector.space) == (access.kind, access.space)
                && vector.start + u64::from(vector.bytes) == access.address
                && vector.bytes + access.bytes <= vector.most
        };
        let vector = self.open.iter_mut().flatten().find(goes_on)?;
        vector.bytes += access.bytes;
        Some((vector.request, vector.bytes))
    }

    /// An access that was counted as one of its own.
    #[inline]
    pub(crate) fn begin(&mut self, access: &Access, request: Counted) {
        let most = access.align.min(WIDEST);
        let plain = matches!(access.kind, AccessClass::Load | AccessClass::Store);
        if most <= access.bytes || !plain {
            return;
        }
        self.open[self.next] = Some(Vector {
            block: access.block,
            thread: access.thread,
            kind: access.kind,
            space: access.space,
            start: access.address,
            bytes: access.bytes,
            most,
            request,
        });
        self.next = (self.next + 1) % MOST_OPEN;
        self.any = true;
    }
}
