//! One argument of a launch, in the form that the driver and the emulator take.

use std::ffi::c_void;
use std::marker::PhantomData;

use crate::buffer::Buffer;
use crate::kernel::{Param, ParamKind};

/// Where the bytes of a value are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Source {
    Here(*const u8),
    /// The stream knows.
    GridBarrier,
    /// So many of the argument's words, each a parameter: address and lengths of a slice, or its address alone, as other languages pass
    /// memory.
    Words(usize),
}

/// One argument of a launch, as [`submit`](crate::launch::submit) takes it.
///
/// Not `Clone`, because it may stand for an output.
#[derive(Debug)]
pub struct Arg<'a> {
    pub(super) param: Param,
    pub(super) buffer: Option<&'a Buffer>,
    pub(super) value: Source,
    /// Address and lengths of a slice, as the device reads them.
    pub(super) words: [u64; 3],
    /// The parameter's name; empty if unknown.
    pub(super) name: &'static str,
    /// Whether device code, which accesses elements as vectors, needs the first one at a multiple of more bytes.
    pub(super) misaligned: bool,
    /// Elements that a block writes along x and y; 0 where threads count.
    pub(super) core: [u64; 2],
    /// Whether the kernel knows it as a shared slice of elements that do not change.
    pub(super) only_read: bool,
    /// Whether it leads to the memory by a texture or surface, which other devices do not know.
    pub(super) by_object: bool,
    pub(super) borrow: PhantomData<&'a ()>,
}

impl<'a> Arg<'a> {
    /// A value, in place.
    pub(in crate::launch) fn value(param: Param, at: *const u8) -> Arg<'a> {
        Arg {
            param,
            buffer: None,
            value: Source::Here(at),
            words: [0; 3],
            name: "",
            misaligned: false,
            core: [0; 2],
            only_read: false,
            by_object: false,
            borrow: PhantomData,
        }
    }

    /// A value in place, which leads to `buffer`.
    pub(crate) fn value_with_memory<T>(value: &'a T, buffer: &'a Buffer) -> Arg<'a> {
        Arg {
            buffer: Some(buffer),
            ..Arg::value(Param::grid_const::<T>(), std::ptr::from_ref(value).cast())
        }
    }

    /// The handle of a texture or surface of `buffer`.
    pub(crate) fn object(handle: &'a u64, buffer: &'a Buffer) -> Arg<'a> {
        Arg {
            buffer: Some(buffer),
            by_object: true,
            ..Arg::value(Param::by_value::<u64>(), std::ptr::from_ref(handle).cast())
        }
    }

    /// The address of the word that the stream has for the barrier of a cooperative grid.
    pub(in crate::launch) fn grid_barrier() -> Arg<'a> {
        Arg {
            param: Param::by_value::<u64>(),
            buffer: None,
            value: Source::GridBarrier,
            words: [0; 3],
            name: "",
            misaligned: false,
            core: [0; 2],
            only_read: false,
            by_object: false,
            borrow: PhantomData,
        }
    }

    /// A slice of `buffer`: its address and lengths.
    #[inline]
    pub(super) fn memory(param: Param, buffer: &'a Buffer, words: [u64; 3]) -> Arg<'a> {
        let n = match param.kind {
            ParamKind::Slice2DMut => 3,
            _ => 2,
        };
        Arg {
            param,
            buffer: Some(buffer),
            value: Source::Words(n),
            words,
            name: "",
            misaligned: param.start_align() > param.align
                && !words[0].is_multiple_of(param.start_align()),
            core: [0; 2],
            only_read: false,
            by_object: false,
            borrow: PhantomData,
        }
    }

    /// A slice as its address alone.
    pub(crate) fn pointer(self) -> Arg<'a> {
        Arg {
            param: Param::by_value::<u64>(),
            value: Source::Words(1),
            misaligned: false, // the other language's code says what it needs
            ..self
        }
    }

    /// The same under the name that the parameter has in the source; findings of the emulator's checks say it.
    #[must_use]
    pub fn named(self, name: &'static str) -> Arg<'a> {
        Arg { name, ..self }
    }

    /// Whether device code cannot access the elements where they lie; see [`Param::start_align`].
    #[inline]
    pub(crate) fn is_misaligned(&self) -> bool {
        self.misaligned
    }

    /// Address of the first element of a slice.
    pub(crate) fn address(&self) -> u64 {
        self.words[0]
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// A slice that the kernel only reads, if `only_read`: the emulator's checks do not remember reads of what no argument leads to a write of.
    #[must_use]
    pub fn only_read(self, only_read: bool) -> Arg<'a> {
        Arg { only_read, ..self }
    }

    #[inline]
    pub(crate) fn is_only_read(&self) -> bool {
        self.only_read
    }

    /// An output of which each block writes `core` elements along x and y; 0 if that is not to be checked.
    #[must_use]
    pub fn by_blocks(self, core: [usize; 2]) -> Arg<'a> {
        Arg {
            core: core.map(|extent| extent as u64),
            ..self
        }
    }

    /// The first axis along which a grid has too few blocks to write all of an output: the axis, elements of a block, and of the output.
    #[inline]
    pub(crate) fn uncovered(&self, grid: &[u32; 3]) -> Option<(usize, u64, u64)> {
        let [_, lengths @ ..] = self.words;
        let axes = self.core.iter().zip(lengths).zip(grid).enumerate();
        axes.filter(|(_, ((core, _), _))| **core != 0)
            .find(|(_, ((core, length), blocks))| {
                u64::from(**blocks).saturating_mul(**core) < *length
            })
            .map(|(axis, ((core, length), _))| (axis, *core, length))
    }

    /// The first element of a slice, and its bytes.
    pub(crate) fn slice(&self) -> Option<(*const u8, usize)> {
        let elements = match self.param.kind {
            ParamKind::ByValue => return None,
            ParamKind::Slice | ParamKind::SliceMut => self.words[1],
            ParamKind::Slice2DMut => self.words[1].checked_mul(self.words[2])?,
        };
        let bytes = usize::try_from(elements.checked_mul(self.param.size)?).ok()?;
        let start = usize::try_from(self.words[0]).ok()?;
        Some((std::ptr::without_provenance(start), bytes))
    }

    /// Whether it is a texture or surface.
    pub(crate) fn is_by_object(&self) -> bool {
        self.by_object
    }

    /// Where a value with bytes lies, in the memory of the host.
    pub(crate) fn place(&self) -> Option<*const u8> {
        match self.value {
            Source::Here(at) if self.param.kind == ParamKind::ByValue => {
                (self.param.size > 0).then_some(at)
            }
            _ => None,
        }
    }

    pub(crate) fn param(&self) -> Param {
        self.param
    }

    pub(crate) fn buffer(&self) -> Option<&'a Buffer> {
        self.buffer
    }

    /// Gives `to` where the parameters' values lie, one address per parameter of the device function. A value without bytes has none.
    /// `grid_barrier` is the address of the stream's word for that purpose.
    #[inline]
    pub(crate) fn addresses(&self, grid_barrier: &u64, mut to: impl FnMut(*mut c_void)) {
        let words = match self.value {
            Source::Words(n) => n,
            Source::Here(value) => {
                if self.param.size > 0 {
                    to(value.cast_mut().cast());
                }
                0
            }
            Source::GridBarrier => {
                to(std::ptr::from_ref(grid_barrier).cast_mut().cast());
                0
            }
        };
        for word in self.words.iter().take(words) {
            to(std::ptr::from_ref(word).cast_mut().cast());
        }
    }
}
