//! Generated functions as data: printed as IR, and interpreted.

/// A value of a function, by number.
pub(super) type ValueId = usize;

/// A block of a function, by number; 0 is the entry.
pub(super) type BlockId = usize;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Binary {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    Shl,
    LShr,
    AShr,
    UDiv,
    URem,
    UMin,
    UMax,
    SMin,
    SMax,
    /// The difference, or zero.
    USubSat,
    /// The trailing zeros of the first operand; the second one is not used.
    Cttz,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cast {
    ZExt,
    SExt,
    Trunc,
}

/// LLVM's names of integer comparisons.
pub(super) const COMPARISONS: [&str; 10] = [
    "eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge",
];

/// How a value is defined. Bits 0 and 1 of the flags are LLVM's flags of the instruction, in the order in which LLVM prints them.
#[derive(Clone, Debug)]
pub(super) enum Definition {
    Constant(u128),
    /// A 64-bit parameter.
    Parameter(usize),
    /// The length of an array, 64 bits.
    Length(usize),
    /// A special register of the launch, 32 bits.
    Register(usize),
    Binary(Binary, u8, ValueId, ValueId),
    Cast(Cast, u8, ValueId),
    /// By an index into [`COMPARISONS`].
    Compare(usize, u8, ValueId, ValueId),
    Select(ValueId, ValueId, ValueId),
    Freeze(ValueId),
    Phi(Vec<(BlockId, ValueId)>),
    /// The element of an array at the sum of these 64-bit values.
    Load(usize, Vec<ValueId>),
    /// Stores a value to the element of an array at a 64-bit index.
    Store(usize, ValueId, ValueId),
    /// An access of an array element that keeps its order, with the value that it stores or adds.
    Ordered(Ordered, usize, ValueId, ValueId),
    /// A convergent call with a 64-bit argument and a 64-bit result; its id is its call site.
    Convergent(Convergent, ValueId),
    /// Floating-point arithmetic on the bits of `f32` or `f64`; a NaN result becomes zero.
    Float(FloatOp, ValueId, ValueId),
    /// A conversion of the bits of an `f32` or `f64` to an integer of any sign that saturates.
    Saturate(bool, ValueId),
    /// A hash of `sinf` and `cosf` of the bits of an `f32`: opaque functions on the host.
    Trigonometric(Vec<Trigonometric>, ValueId),
    Copy(Copy),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Ordered {
    VolatileLoad,
    VolatileStore,
    AtomicAdd,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Convergent {
    /// May read and write all memory; all threads of a warp must execute it together.
    Barrier,
    /// Accesses no memory that the function can access.
    Shuffle,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Trigonometric {
    Sin,
    Cos,
}

/// `memcpy` or `memmove` between constant byte offsets of two arrays.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copy {
    pub(super) to: (usize, usize),
    pub(super) from: (usize, usize),
    pub(super) bytes: usize,
    pub(super) align: usize,
    pub(super) may_overlap: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) bits: u32,
    pub(super) definition: Definition,
}

#[derive(Clone, Debug)]
pub(super) enum Terminator {
    Br(BlockId),
    /// To the first block if true.
    CondBr(ValueId, BlockId, BlockId),
    /// To the block of an equal case, else to the last.
    Switch(ValueId, Vec<(u128, BlockId)>, BlockId),
    /// Stores these results first.
    Ret(Vec<ValueId>),
    /// Calls `@fail` with a 64-bit value.
    Panic(ValueId),
}

#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) values: Vec<ValueId>,
    pub(super) end: Terminator,
}

/// Its parameters are four integers, two arrays with their lengths, and the address of the results, 128 bits each.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) values: Vec<Value>,
    pub(super) blocks: Vec<Block>,
    /// The special registers are below these bounds.
    pub(super) launch: [u32; 3],
    /// Bits of an element of each array parameter.
    pub(super) elements: [u32; 2],
    /// Bits and number of the elements of local arrays, which are numbered after the parameters.
    pub(super) locals: Vec<(u32, usize)>,
}

/// Declarations of what generated functions call.
pub(super) const DECLARATIONS: &str = "
declare i64 @fuzz_aligned_barrier(i64, i64) convergent nounwind
declare i64 @fuzz_shuffle(i64, i64) convergent nounwind willreturn memory(inaccessiblemem: readwrite)
declare float @sinf(float) nounwind willreturn memory(none)
declare float @cosf(float) nounwind willreturn memory(none)
";

/// The special registers that functions read.
pub(super) const REGISTERS: [&str; 3] = ["tid.x", "tid.y", "ctaid.x"];
/// The prefix of the intrinsics that read them.
pub(super) const REGISTER_PREFIX: &str = "llvm.nvvm.read.ptx.sreg.";
/// Maximum number of results.
pub(super) const RESULTS: usize = 4;

impl Binary {
    pub(super) fn name(self) -> String {
        match self {
            Binary::USubSat => "usub.sat".to_owned(),
            _ => format!("{self:?}").to_lowercase(),
        }
    }

    /// The flags that the instruction may have.
    pub(super) fn flags(self) -> [&'static str; 2] {
        match self {
            Binary::Add | Binary::Sub | Binary::Mul | Binary::Shl => ["nuw", "nsw"],
            Binary::LShr | Binary::AShr | Binary::UDiv => ["exact", ""],
            Binary::Or => ["disjoint", ""],
            _ => ["", ""],
        }
    }

    pub(super) fn is_function(self) -> bool {
        matches!(
            self,
            Binary::UMin
                | Binary::UMax
                | Binary::SMin
                | Binary::SMax
                | Binary::USubSat
                | Binary::Cttz
        )
    }
}

impl Convergent {
    /// The function that is called. Passes take `aligned` in a name for an operation of whole warps.
    pub(super) fn name(self) -> &'static str {
        match self {
            Convergent::Barrier => "fuzz_aligned_barrier",
            Convergent::Shuffle => "fuzz_shuffle",
        }
    }
}

impl Function {
    /// Bits of an element of an array.
    pub(super) fn element_bits(&self, array: usize) -> u32 {
        let local = || self.locals[array - 2].0;
        self.elements.get(array).copied().unwrap_or_else(local)
    }
}
