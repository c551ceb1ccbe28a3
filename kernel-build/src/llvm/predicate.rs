//! How integers are compared, signed ones too.

use super::ffi::Nullable as _;
use super::{TypeKind, Value};

/// What `icmp` asks; the numbers are LLVM's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub(crate) enum Predicate {
    Eq = 32,
    Ne,
    Ugt,
    Uge,
    Ult,
    Ule,
    Sgt,
    Sge,
    Slt,
    Sle,
}

impl Predicate {
    const ALL: [Predicate; 10] = {
        use Predicate::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
        [Eq, Ne, Ugt, Uge, Ult, Ule, Sgt, Sge, Slt, Sle]
    };

    /// For exchanged operands.
    pub(crate) fn swapped(self) -> Predicate {
        use Predicate::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
        match self {
            Eq | Ne => self,
            Ugt => Ult,
            Uge => Ule,
            Ult => Ugt,
            Ule => Uge,
            Sgt => Slt,
            Sge => Sle,
            Slt => Sgt,
            Sle => Sge,
        }
    }

    /// What holds where this does not.
    pub(crate) fn inverse(self) -> Predicate {
        use Predicate::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
        match self {
            Eq => Ne,
            Ne => Eq,
            Ugt => Ule,
            Uge => Ult,
            Ult => Uge,
            Ule => Ugt,
            Sgt => Sle,
            Sge => Slt,
            Slt => Sge,
            Sle => Sgt,
        }
    }
}

impl Value<'_> {
    /// What a comparison of integers asks; `None` for all else.
    pub(crate) fn predicate(self) -> Option<Predicate> {
        let llvm = self.context.llvm;
        // SAFETY: a live value.
        if unsafe { (llvm.LLVMIsAICmpInst)(self.raw) }.is_null() {
            return None;
        }
        // SAFETY: a comparison of integers.
        let number = unsafe { (llvm.LLVMGetICmpPredicate)(self.raw) };
        Predicate::ALL.into_iter().find(|p| *p as i32 == number)
    }

    /// A constant integer of at most 64 bits as a number.
    pub(crate) fn as_number(self, signed: bool) -> Option<i128> {
        let TypeKind::Integer(bits @ 1..=64) = self.ty().kind() else {
            return None;
        };
        let value = i128::from(self.as_integer()?);
        let is_negative = signed && value >> (bits - 1) != 0;
        Some(if is_negative {
            value - (1 << bits)
        } else {
            value
        })
    }
}
