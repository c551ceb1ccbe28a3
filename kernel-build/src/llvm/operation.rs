//! What an instruction does, and LLVM's numbers for it.

use crate::versions;

/// The instructions that passes distinguish, by the names and numbers of LLVM's C API.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Op {
    Return,
    Branch,
    Switch,
    Invoke,
    Unreachable,
    Add,
    FAdd,
    Sub,
    FSub,
    Mul,
    FMul,
    UDiv,
    FDiv,
    URem,
    FRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    Load,
    Store,
    GetElementPtr,
    Trunc,
    ZExt,
    SExt,
    FPToUI,
    FPToSI,
    UIToFP,
    SIToFP,
    FPTrunc,
    FPExt,
    BitCast,
    ICmp,
    FCmp,
    Phi,
    Call,
    Select,
    Fence,
    CmpXchg,
    AtomicRmw,
    Resume,
    LandingPad,
    PtrToInt,
    IntToPtr,
    AddrSpaceCast,
    FNeg,
    Freeze,
    Other(i32),
}

macro_rules! operations {
    ($($op:ident = $number:literal,)*) => {
        impl Op {
            pub(super) fn of_number(number: i32) -> Op {
                match number {
                    $($number => Op::$op,)*
                    number if versions::is_branch(number) => Op::Branch,
                    other => Op::Other(other),
                }
            }

            pub(super) fn number(self) -> i32 {
                match self {
                    $(Op::$op => $number,)*
                    Op::Other(other) => other,
                }
            }
        }
    };
}

operations! {
    Return = 1,
    Branch = 2,
    Switch = 3,
    Invoke = 5,
    Unreachable = 7,
    Add = 8,
    FAdd = 9,
    Sub = 10,
    FSub = 11,
    Mul = 12,
    FMul = 13,
    UDiv = 14,
    FDiv = 16,
    URem = 17,
    FRem = 19,
    Shl = 20,
    LShr = 21,
    AShr = 22,
    And = 23,
    Or = 24,
    Xor = 25,
    Load = 27,
    Store = 28,
    GetElementPtr = 29,
    Trunc = 30,
    ZExt = 31,
    SExt = 32,
    FPToUI = 33,
    FPToSI = 34,
    UIToFP = 35,
    SIToFP = 36,
    FPTrunc = 37,
    FPExt = 38,
    BitCast = 41,
    ICmp = 42,
    FCmp = 43,
    Phi = 44,
    Call = 45,
    Select = 46,
    Fence = 55,
    CmpXchg = 56,
    AtomicRmw = 57,
    Resume = 58,
    LandingPad = 59,
    PtrToInt = 39,
    IntToPtr = 40,
    AddrSpaceCast = 60,
    FNeg = 66,
    Freeze = 68,
}
