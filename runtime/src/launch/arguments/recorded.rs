//! Arguments that a graph keeps.

use std::marker::PhantomData;

use super::arg::{Arg, Source};
use crate::buffer::Buffer;
use crate::kernel::Param;

/// An argument that borrows nothing: its memory stays as long as this, and a value has a place of its own.
#[derive(Debug)]
pub(crate) struct RecordedArg {
    param: Param,
    buffer: Option<Buffer>,
    value: Option<RecordedValue>,
    words: [u64; 3],
    name: &'static str,
    core: [u64; 2],
    only_read: bool,
    by_object: bool,
    is_grid_barrier: bool,
    /// How many of them are parameters.
    n_words: usize,
}

/// The bytes of a value, aligned as it wants.
#[derive(Debug)]
struct RecordedValue {
    bytes: Box<[u8]>,
    at: usize,
}

impl RecordedArg {
    /// # Safety
    /// A value's bytes can be read: `arg` still borrows what it was made of.
    pub(crate) unsafe fn new(arg: &Arg<'_>) -> RecordedArg {
        let value = arg.place().map(|from| {
            let (size, align) = (arg.param.size as usize, arg.param.align as usize);
            let mut bytes = vec![0u8; size + align].into_boxed_slice();
            let at = bytes.as_ptr().align_offset(align.max(1));
            let to = bytes[at..at + size].as_mut_ptr();
            // SAFETY: the caller promises `size` bytes, and as many are in the new slice.
            unsafe { to.copy_from_nonoverlapping(from, size) };
            RecordedValue { bytes, at }
        });
        RecordedArg {
            param: arg.param,
            buffer: arg.buffer.cloned(),
            value,
            words: arg.words,
            name: arg.name,
            core: arg.core,
            only_read: arg.only_read,
            by_object: arg.by_object,
            is_grid_barrier: matches!(arg.value, Source::GridBarrier),
            n_words: match arg.value {
                Source::Words(n) => n,
                _ => 0,
            },
        }
    }

    /// The argument as `submit` takes it.
    pub(crate) fn get(&self) -> Arg<'_> {
        let value = match &self.value {
            _ if self.is_grid_barrier => Source::GridBarrier,
            _ if self.n_words > 0 => Source::Words(self.n_words),
            Some(value) => Source::Here(value.bytes[value.at..].as_ptr()),
            // A value without bytes.
            None => Source::Here(std::ptr::null()),
        };
        Arg {
            param: self.param,
            buffer: self.buffer.as_ref(),
            value,
            words: self.words,
            name: self.name,
            misaligned: false, // it was recorded, and its memory stays where it is
            core: self.core,
            only_read: self.only_read,
            by_object: self.by_object,
            borrow: PhantomData,
        }
    }

    pub(crate) fn buffer(&self) -> Option<&Buffer> {
        self.buffer.as_ref()
    }
}
