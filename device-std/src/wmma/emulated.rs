//! What the emulator is told of loads, stores and products: which element of a matrix is where in the registers of a lane, and how many steps a product has.
//!
//! CUDA leaves that open, and GPUs differ. Here the other lane of a pair, `l ^ 1`, with `n` elements has those with the numbers `l * n .. (l + 1) * n`, of `A` row by row, of `B` column by
//! column and of sums row by row: code that shares a matrix out among the lanes in one of the usual ways, and forgets a barrier, gets at another lane's elements. What lanes have more than the matrix has elements is a second copy, as on some GPUs. Of
//! `Tf32` a lane has as many elements of each four columns of `A` and rows of `B`: a GPU multiplies and adds these one after the other.

use super::shapes::Shape;
use warploom_emulator::intrinsics;
use warploom_emulator::matrix::{
    BitOperation, Float, Fragment, Instruction, Integer, Kind, Shape as Sizes, Sum,
};

/// A type of elements, with its bits.
#[derive(Clone, Copy)]
pub(super) enum Element {
    F16,
    Bf16,
    Tf32,
    F32,
    F64,
    I8,
    U8,
    I32,
    S4,
    U4,
    B1,
}

/// What is done with the factors.
#[derive(Clone, Copy)]
pub(super) enum Operation {
    Multiply,
    Saturating,
    Xor,
    And,
}

impl Element {
    pub(super) const fn bits(self) -> u32 {
        match self {
            Element::B1 => 1,
            Element::S4 | Element::U4 => 4,
            Element::I8 | Element::U8 => 8,
            Element::F16 | Element::Bf16 => 16,
            Element::Tf32 | Element::F32 | Element::I32 => 32,
            Element::F64 => 64,
        }
    }

    const fn sum(self) -> Sum {
        match self {
            Element::F16 => Sum::F16,
            _ => Sum::F32,
        }
    }

    const fn kind(self, c: Element, d: Element, operation: Operation) -> Kind {
        let float = match self {
            Element::F64 => return Kind::Double,
            Element::F16 => Float::F16,
            Element::Bf16 => Float::Bf16,
            Element::Tf32 => Float::Tf32,
            Element::I8 | Element::U8 | Element::S4 | Element::U4 => {
                let integer = Integer {
                    bits: self.bits(),
                    signed: matches!(self, Element::I8 | Element::S4),
                };
                return Kind::Integer {
                    a: integer,
                    b: integer,
                    saturates: matches!(operation, Operation::Saturating),
                };
            }
            _ => {
                return Kind::Bits(match operation {
                    Operation::Xor => BitOperation::Xor,
                    _ => BitOperation::And,
                });
            }
        };
        Kind::Float {
            a: float,
            b: float,
            c: c.sum(),
            d: d.sum(),
        }
    }
}

/// Elements of a lane in so many registers: of 32 bits, or of the element's.
const fn per_lane(element: Element, registers: u32) -> u32 {
    match element.bits() {
        64 => registers,
        bits => registers * 32 / bits,
    }
}

/// How many products of how many columns of `A` a GPU makes one after the other, where others make one of all.
const fn steps(element: Element) -> u32 {
    match element {
        Element::Tf32 => 2,
        _ => 1,
    }
}

/// Of an element of a factor the number of the row of `A` (column of `B`), and that of the column (row): `k` of them in each of `STEPS` steps.
fn of_factor<const PER_LANE: u32, const STEPS: u32>(
    lane: u32,
    i: u32,
    lines: usize,
    k: usize,
) -> (u32, u32) {
    let per_step = PER_LANE / STEPS;
    let (step, k) = (i / per_step, k as u32 / STEPS);
    let at = (holder(lane) * per_step + i % per_step) % (lines as u32 * k);
    (at / k, step * k + at % k)
}

/// Whose elements, in the order of lanes, a lane has.
fn holder(lane: u32) -> u32 {
    lane ^ 1
}

/// Row and column of an element of `A`.
fn of_a<S: Shape, const PER_LANE: u32, const STEPS: u32>(lane: u32, i: u32) -> (u32, u32) {
    of_factor::<PER_LANE, STEPS>(lane, i, S::M, S::K)
}

/// Row and column of an element of `B`.
fn of_b<S: Shape, const PER_LANE: u32, const STEPS: u32>(lane: u32, i: u32) -> (u32, u32) {
    let (column, row) = of_factor::<PER_LANE, STEPS>(lane, i, S::N, S::K);
    (row, column)
}

/// Row and column of a sum.
fn of_sums<S: Shape, const PER_LANE: u32>(lane: u32, i: u32) -> (u32, u32) {
    let at = holder(lane) * PER_LANE + i;
    (at / S::N as u32, at % S::N as u32)
}

/// The three matrices.
#[derive(Clone, Copy)]
pub(super) enum Role {
    MatrixA,
    MatrixB,
    Accumulator,
}

/// A fragment of a lane with so many elements.
const fn fragment_of<S: Shape, const PER_LANE: u32>(role: Role, element: Element) -> Fragment {
    Fragment {
        elements: PER_LANE,
        bits: element.bits(),
        coords: match (role, steps(element)) {
            (Role::MatrixA, 1) => of_a::<S, PER_LANE, 1>,
            (Role::MatrixA, _) => of_a::<S, PER_LANE, 2>,
            (Role::MatrixB, 1) => of_b::<S, PER_LANE, 1>,
            (Role::MatrixB, _) => of_b::<S, PER_LANE, 2>,
            (Role::Accumulator, _) => of_sums::<S, PER_LANE>,
        },
    }
}

/// A fragment of a lane with so many registers.
pub(super) const fn fragment<S: Shape>(role: Role, element: Element, registers: u32) -> Fragment {
    match per_lane(element, registers) {
        1 => fragment_of::<S, 1>(role, element),
        2 => fragment_of::<S, 2>(role, element),
        4 => fragment_of::<S, 4>(role, element),
        8 => fragment_of::<S, 8>(role, element),
        16 => fragment_of::<S, 16>(role, element),
        _ => fragment_of::<S, 32>(role, element),
    }
}

/// The part of a factor that one step takes: the first elements of each lane.
const fn of_one_step(factor: Fragment, element: Element) -> Fragment {
    Fragment {
        elements: factor.elements / steps(element),
        ..factor
    }
}

/// The description of one load or store, as a static value.
macro_rules! tile {
    ($verb:ident $role:ident $shape:ident $kind:ident $count:literal $name:literal $layout:literal $is_row_major:expr) => {{
        static TILE: warploom_emulator::intrinsics::WmmaTile =
            warploom_emulator::intrinsics::WmmaTile {
                name: concat!(
                    "wmma.",
                    stringify!($verb),
                    " of ",
                    stringify!($role),
                    " ",
                    stringify!($shape),
                    " ",
                    $name,
                    ", ",
                    $layout
                ),
                fragment: super::emulated::fragment::<$shape>(
                    super::emulated::Role::$role,
                    super::emulated::Element::$kind,
                    $count,
                ),
                is_row_major: $is_row_major,
            };
        &TILE
    }};
}
pub(super) use tile;

/// A product, by steps.
pub(super) struct Product {
    step: Instruction,
    steps: u32,
}

/// The description of one product, as a static value.
macro_rules! product {
    ($kind:ident $c_kind:ident $d_kind:ident $operation:ident $shape:ident $registers:tt) => {{
        static PRODUCT: super::emulated::Product = super::emulated::product_of::<$shape>(
            concat!(
                "wmma.mma of ",
                stringify!($shape),
                " ",
                stringify!($kind),
                ", ",
                stringify!($c_kind),
                " to ",
                stringify!($d_kind),
                ", ",
                stringify!($operation)
            ),
            [
                super::emulated::Element::$kind,
                super::emulated::Element::$c_kind,
                super::emulated::Element::$d_kind,
            ],
            super::emulated::Operation::$operation,
            $registers,
        );
        &PRODUCT
    }};
}
pub(super) use product;

/// A product of factors with sums `c` that gives sums `d`. `registers`: those of a lane for `d`, `A`, `B` and `c`.
pub(super) const fn product_of<S: Shape>(
    name: &'static str,
    [factors, c, d]: [Element; 3],
    operation: Operation,
    [of_d, of_a, of_b, of_c]: [&str; 4],
) -> Product {
    let steps = steps(factors);
    let step = Instruction {
        name,
        kind: factors.kind(c, d, operation),
        shape: Sizes {
            m: S::M,
            n: S::N,
            k: S::K / steps as usize,
        },
        a: of_one_step(fragment::<S>(Role::MatrixA, factors, digit(of_a)), factors),
        b: of_one_step(fragment::<S>(Role::MatrixB, factors, digit(of_b)), factors),
        c: fragment::<S>(Role::Accumulator, c, digit(of_c)),
        d: fragment::<S>(Role::Accumulator, d, digit(of_d)),
    };
    Product { step, steps }
}

/// The number in `r8`.
const fn digit(registers: &str) -> u32 {
    (registers.as_bytes()[1] - b'0') as u32
}

/// The emulator's product.
///
/// # Safety
/// As [`intrinsics::multiply_add`].
#[inline(always)]
#[track_caller]
pub(super) unsafe fn multiply_add(
    product: &'static Product,
    d: *mut u32,
    a: *const u32,
    b: *const u32,
    c: *const u32,
) {
    let Product { step, steps } = product;
    // SAFETY: the caller's promise.
    unsafe { intrinsics::multiply_add(step, d, [a, b, c]) };
    for number in 1..*steps as usize {
        // SAFETY: within the registers of the factors, of which a step has a part.
        let a = unsafe { a.add(number * step.a.registers()) };
        // SAFETY: as above.
        let b = unsafe { b.add(number * step.b.registers()) };
        // SAFETY: the caller's promise; sums of the step before are those of this one.
        unsafe { intrinsics::multiply_add(step, d, [a, b, d]) };
    }
}
