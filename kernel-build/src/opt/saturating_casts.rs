//! `as` from floats to integers is the GPU's conversion, which saturates itself.
//!
//! LLVM 22 compares or clamps before NVPTX's conversion, because it takes what is out of range to be undefined there:
//!
//! ```text
//! before: llvm.fptoui.sat.i8.f32       max.f32, min.f32, cvt.rzi.u16.f32          after: cvt.rzi.u8.f32
//!         llvm.fptosi.sat.i32.f32      3 setp, 3 selp, cvt.rzi.s32.f32                   cvt.rzi.s32.f32
//!         llvm.fptosi.sat.i32.f64      setp, max.f64, min.f64, cvt.rzi.s32.f64, selp     cvt.rzi.s32.f64, and zero unless the number equals itself
//! ```
//!
//! PTX clamps to the range of the destination, whichever it is, and makes zero of NaN if neither the source nor the destination has 64 bits; else it makes the
//! number whose upper bit alone is set, which is replaced by a selection here. With ptxas 13.0 for sm_90 the last one took 26 instructions and takes 9, with the load and the store.
//! Runs behind LLVM's passes, which know what the intrinsics give, and do not know it of PTX.

use crate::llvm::{Builder, Module, Type, TypeKind, Value};

/// Converts by PTX what LLVM would clamp.
pub(crate) fn convert_all(module: &mut Module<'_>) {
    for function in super::defined(module) {
        for call in function.instructions() {
            if let Some(cast) = Cast::of(call) {
                cast.replace(module, call);
            }
        }
    }
}

/// A conversion from `f32` or `f64` to an integer that saturates.
struct Cast {
    is_signed: bool,
    /// Of the integer.
    bits: u32,
    from_f64: bool,
}

impl Cast {
    fn of(call: Value<'_>) -> Option<Cast> {
        let callee = call.as_call()?.callee().as_function()?.name();
        let is_signed = match callee.split_once(".sat.")?.0 {
            "llvm.fptoui" => false,
            "llvm.fptosi" => true,
            _ => return None,
        };
        let TypeKind::Integer(bits @ (8 | 16 | 32 | 64)) = call.ty().kind() else {
            return None;
        };
        let from_f64 = match call.args()[0].ty().kind() {
            TypeKind::Float => false,
            TypeKind::Double => true,
            _ => return None,
        };
        Some(Cast {
            is_signed,
            bits,
            from_f64,
        })
    }

    fn replace<'ctx>(&self, module: &Module<'ctx>, call: Value<'ctx>) {
        let before = Builder::before(call);
        // Of an undefined number each use may be another one.
        let number = match self.is_wide() {
            true => before.freeze(call.args()[0]),
            false => call.args()[0],
        };
        let converted = before.ptx_value(
            &self.ptx(),
            self.constraints(),
            self.register(module),
            number,
        );
        let mut result = match self.bits {
            8 => before.truncated(converted, call.ty()),
            _ => converted,
        };
        if self.is_wide() {
            let is_number = before.is_ordered(number);
            result = before.select(is_number, result, call.ty().integer(0));
        }
        call.replace_all_uses_with(result);
        // SAFETY: all its uses were replaced, and the handle ends here.
        unsafe { call.erase_instruction() };
    }

    /// Whether PTX does not make zero of NaN.
    fn is_wide(&self) -> bool {
        self.from_f64 || self.bits == 64
    }

    fn ptx(&self) -> String {
        let (sign, float) = (
            if self.is_signed { 's' } else { 'u' },
            if self.from_f64 { 64 } else { 32 },
        );
        format!("cvt.rzi.{sign}{}.f{float} $0, $1;", self.bits)
    }

    /// There are no registers of 8 bits. In one of 16 the result is masked by ptxas 13.0, in one of 32 it is not.
    fn register<'ctx>(&self, module: &Module<'ctx>) -> Type<'ctx> {
        match self.bits {
            8 => module.i32_type(),
            bits => module.integer_type(bits),
        }
    }

    fn constraints(&self) -> &'static str {
        match (self.bits, self.from_f64) {
            (16, false) => "=h,f",
            (16, true) => "=h,d",
            (64, false) => "=l,f",
            (64, true) => "=l,d",
            (_, false) => "=r,f",
            (_, true) => "=r,d",
        }
    }
}
