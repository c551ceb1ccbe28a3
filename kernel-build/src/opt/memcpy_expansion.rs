//! Short copies become loads and stores.
//!
//! `*y = x[i]` of 16 bytes is a `memcpy` for rustc, and NVPTX expands it to accesses of at most 8 bytes that never use the read-only cache: only loads
//! are considered for that. Here it becomes the widest accesses that the alignment allows. Must run last: until then LLVM's SROA splits copies by how
//! their parts are used.

use crate::llvm::{Builder, Module, Type, Value};

/// Longer copies would keep too many registers between their loads and their stores.
const LONGEST: u64 = 64;

/// Replaces every copy of a few whole words between aligned addresses.
pub(crate) fn expand(module: &Module<'_>) {
    for function in module.functions() {
        for call in function.instructions() {
            if let Some(copy) = call.as_call().and_then(Copy::of) {
                copy.expand(module);
                // SAFETY: a copy has no result, and the handle ends here.
                unsafe { call.erase_instruction() };
            }
        }
    }
}

/// A copy of a fixed number of bytes.
struct Copy<'ctx> {
    call: Value<'ctx>,
    to: Value<'ctx>,
    from: Value<'ctx>,
    bytes: u64,
    /// Of both addresses, in bytes.
    align: u64,
}

impl<'ctx> Copy<'ctx> {
    fn of(call: Value<'ctx>) -> Option<Copy<'ctx>> {
        let name = call.callee().as_function()?.name();
        if !name.starts_with("llvm.memcpy.p") && !name.starts_with("llvm.memmove.p") {
            return None;
        }
        let [to, from, bytes, volatile] = call.args()[..] else {
            return None;
        };
        let bytes = bytes.as_integer()?;
        let align = call
            .alignment_of_argument(0)
            .min(call.alignment_of_argument(1));
        let short = (1..=LONGEST).contains(&bytes) && bytes % 4 == 0;
        let plain = volatile.as_integer() == Some(0);
        (short && plain && align >= 4).then_some(Copy {
            call,
            to,
            from,
            bytes,
            align,
        })
    }

    /// All loads come first: the ends of a `memmove` may overlap.
    fn expand(&self, module: &Module<'ctx>) {
        let builder = Builder::before(self.call);
        let at = |base, place| match place {
            0 => base,
            _ => builder.byte_offset_inbounds(base, place),
        };
        let mut loaded = Vec::new();
        let mut place = 0;
        while place < self.bytes {
            let (width, ty) = widest(module, self.align, self.bytes - place);
            let align = width as u32;
            let value = builder.load(ty, at(self.from, place), align);
            loaded.push((value, place, align));
            place += width;
        }
        for (value, place, align) in loaded {
            builder.store(value, at(self.to, place), align);
        }
    }
}

/// The widest access that is aligned and not longer than the rest.
fn widest<'ctx>(module: &Module<'ctx>, align: u64, rest: u64) -> (u64, Type<'ctx>) {
    let word = module.i32_type();
    match align.min(rest) {
        16.. => (16, word.vector(4)),
        8.. => (8, module.i64_type()),
        _ => (4, word),
    }
}

#[cfg(test)]
#[path = "memcpy_expansion_tests.rs"]
mod tests;
