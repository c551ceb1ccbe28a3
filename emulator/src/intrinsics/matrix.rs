//! What the lanes of a warp make of each other's registers: products of matrices, and rows of matrices in shared memory.

use super::{fail, inside, lane_id};
use crate::detector;
use crate::engine::block::Arrival;
use crate::engine::warp::{Exchange, LANES, Operands, REGISTERS, Registers, Together, WarpOp};
use crate::matrix::{Instruction, SparseInstruction};
use std::panic::Location;

/// A product of matrices that the registers of a warp hold: D = A · B + C. PTX: `mma.sync.aligned`, `wmma.mma.sync.aligned`.
///
/// Waits for all lanes of the warp. If some have returned, a GPU gives any value and the emulator reports it.
///
/// # Panics
/// In a warp of less than 32 lanes. Outside a kernel.
///
/// # Safety
/// The pointers are those of the registers of D, A, B and C that `instruction` says a lane has, and `d` may be written.
#[inline(always)]
#[track_caller]
pub unsafe fn multiply_add(
    instruction: &'static Instruction,
    d: *mut u32,
    [a, b, c]: [*const u32; 3],
) {
    let mut registers = [0; REGISTERS];
    let Instruction {
        a: of_a,
        b: of_b,
        c: of_c,
        d: of_d,
        ..
    } = instruction;
    let parts = [
        (a, of_a.registers()),
        (b, of_b.registers()),
        (c, of_c.registers()),
    ];
    let mut rest = &mut registers[..];
    for (from, count) in parts {
        let (part, after) = rest.split_at_mut(count);
        // SAFETY: the caller's promise.
        part.copy_from_slice(unsafe { std::slice::from_raw_parts(from, count) });
        rest = after;
    }
    exchange(
        instruction,
        &mut registers[..instruction.operands().max(of_d.registers())],
    );
    // SAFETY: the caller's promise.
    let d = unsafe { std::slice::from_raw_parts_mut(d, of_d.registers()) };
    d.copy_from_slice(&registers[..d.len()]);
}

/// A product of which A is sparse: of each group of neighbours in a row half are in the registers, and `places` says which. PTX:
/// `mma.sp::ordered_metadata.sync.aligned`, with 0 as the selector.
///
/// # Panics
/// As [`multiply_add`]. When a part of `places` that the instruction reads is not that of elements in ascending order.
///
/// # Safety
/// As for [`multiply_add`].
#[inline(always)]
#[track_caller]
pub unsafe fn multiply_add_sparse(
    instruction: &'static SparseInstruction,
    d: *mut u32,
    [a, b, c]: [*const u32; 3],
    places: u32,
) {
    if let Some((i, wrong)) = instruction.wrong_places(lane_id(), places) {
        fail(&format!(
            "`{}` was called with the places {wrong:#06b} in bits {} to {} of lane {}; those of a group are two numbers of 2 bits in ascending order, or, of elements of 32 bits, 0b0100 or 0b1110",
            instruction.product.name,
            4 * i,
            4 * i + 3,
            lane_id(),
        ));
    }
    let Instruction {
        a: of_a,
        b: of_b,
        c: of_c,
        d: of_d,
        ..
    } = &instruction.product;
    let mut registers = [0; REGISTERS];
    let mut at = 0;
    for (from, count) in [
        (a, of_a.registers()),
        (b, of_b.registers()),
        (c, of_c.registers()),
    ] {
        // SAFETY: the caller's promise.
        registers[at..][..count]
            .copy_from_slice(unsafe { std::slice::from_raw_parts(from, count) });
        at += count;
    }
    registers[at] = places;
    exchange(instruction, &mut registers[..instruction.operands()]);
    // SAFETY: the caller's promise.
    let d = unsafe { std::slice::from_raw_parts_mut(d, of_d.registers()) };
    d.copy_from_slice(&registers[..d.len()]);
}

impl Together for SparseInstruction {
    fn name(&self) -> &'static str {
        self.product.name
    }

    fn compute(&self, registers: &mut Registers) {
        self.execute(registers);
    }
}

impl Together for Instruction {
    fn name(&self) -> &'static str {
        self.name
    }

    fn compute(&self, registers: &mut Registers) {
        self.execute(registers);
    }
}

/// Hands in the calling lane's registers and replaces them by what the operation gives the lane. All 32 lanes of the warp have to come.
///
/// A lane that is being unwound by a panic hands in nothing and keeps them.
///
/// # Panics
/// In a warp of less than 32 lanes. Outside a kernel.
#[inline(always)]
#[track_caller]
pub(crate) fn exchange(with: &'static dyn Together, registers: &mut [u32]) {
    let caller = Location::caller();
    let lanes = inside(with.name(), |running| {
        let thread = running.thread.get();
        let lanes = LANES.min(running.shape.n_threads - thread / LANES * LANES);
        if lanes < LANES || !running.may_wait() {
            return lanes;
        }
        let place = running.place(caller);
        let op = WarpOp::Exchange(Exchange(with));
        let own = &*registers;
        running.meet(0, move |block, thread| -> Arrival {
            block.registers(thread)[..own.len()].copy_from_slice(own);
            block.arrive_at_warp_op(thread, op, u32::MAX, Operands::default(), place)
        });
        running.note(|block, thread| {
            registers.copy_from_slice(&block.registers(thread)[..registers.len()]);
        });
        lanes
    });
    if lanes < LANES {
        fail(&format!(
            "`{}` was called in a warp of {lanes} threads; it takes the registers of 32: the number of threads of the block has to be a multiple of 32",
            with.name()
        ));
    }
}

/// Rows of 8 elements of 16 bits, which lanes read or write, and the registers that hold their pairs.
struct Rows {
    name: &'static str,
    /// 1, 2 or 4 matrices of 8 rows.
    matrices: usize,
    transposed: bool,
    /// Whether lanes hand in rows and get pairs, or the other way round.
    loads: bool,
}

const fn rows(name: &'static str, matrices: usize, transposed: bool, loads: bool) -> Rows {
    Rows {
        name,
        matrices,
        transposed,
        loads,
    }
}

/// Each operation by its number of matrices (1, 2, 4: its logarithm), and whether it transposes.
static LOADS: [[Rows; 2]; 3] = [
    [
        rows("ldmatrix_x1", 1, false, true),
        rows("ldmatrix_x1_trans", 1, true, true),
    ],
    [
        rows("ldmatrix_x2", 2, false, true),
        rows("ldmatrix_x2_trans", 2, true, true),
    ],
    [
        rows("ldmatrix_x4", 4, false, true),
        rows("ldmatrix_x4_trans", 4, true, true),
    ],
];
static STORES: [[Rows; 2]; 3] = [
    [
        rows("stmatrix_x1", 1, false, false),
        rows("stmatrix_x1_trans", 1, true, false),
    ],
    [
        rows("stmatrix_x2", 2, false, false),
        rows("stmatrix_x2_trans", 2, true, false),
    ],
    [
        rows("stmatrix_x4", 4, false, false),
        rows("stmatrix_x4_trans", 4, true, false),
    ],
];

/// Bytes of a row.
const ROW: usize = 16;

/// Loads `matrices` matrices of 8 rows of 16 bytes: lane `8 i + j` gives the address of row `j` of matrix `i`, and register `i` of lane `l` receives
/// elements `2 (l % 4)` and the next of row `l / 4`; transposed, those of column `l / 4` in rows `2 (l % 4)` and the next. An element has 16 bits.
/// PTX: `ldmatrix.sync.aligned.m8n8`. Compute capability: 7.5.
///
/// # Panics
/// If a row is not aligned to 16 bytes. In a warp of less than 32 lanes. Outside a kernel.
///
/// # Safety
/// `matrices` is 1, 2 or 4. `to` is that of as many registers; `row`, in the lanes that give an address, that of 16 bytes in shared memory which no thread
/// writes meanwhile.
#[inline(always)]
#[track_caller]
pub unsafe fn ldmatrix(to: *mut u32, row: *const u8, matrices: usize, transposed: bool) {
    let how = &LOADS[matrices.ilog2() as usize][usize::from(transposed)];
    let mut registers = [0; 4];
    if has_row(how, row) {
        detector::reads::<ROW>(row);
        // SAFETY: the caller's promise; aligned, as `has_row` has found.
        registers = unsafe { row.cast::<[u32; 4]>().read() };
    }
    exchange(how, &mut registers);
    // SAFETY: the caller's promise.
    let to = unsafe { std::slice::from_raw_parts_mut(to, matrices) };
    to.copy_from_slice(&registers[..matrices]);
}

/// Stores what [`ldmatrix`] loads. PTX: `stmatrix.sync.aligned.m8n8`. Compute capability: 9.0.
///
/// # Panics
/// As [`ldmatrix`].
///
/// # Safety
/// As for [`ldmatrix`]; no other thread accesses the rows meanwhile.
#[inline(always)]
#[track_caller]
pub unsafe fn stmatrix(row: *mut u8, from: *const u32, matrices: usize, transposed: bool) {
    let how = &STORES[matrices.ilog2() as usize][usize::from(transposed)];
    let has_row = has_row(how, row);
    let mut registers = [0; 4];
    // SAFETY: the caller's promise.
    registers[..matrices].copy_from_slice(unsafe { std::slice::from_raw_parts(from, matrices) });
    exchange(how, &mut registers);
    if has_row {
        detector::writes::<ROW>(row, None);
        // SAFETY: the caller's promise; aligned, as `has_row` has found.
        unsafe { row.cast::<[u32; 4]>().write(registers) };
    }
}

/// Transposes a matrix of 8 rows of 8 elements of 16 bits, of which each lane has the pair that [`ldmatrix`] gives it. PTX:
/// `movmatrix.sync.aligned.m8n8.trans.b16`. Compute capability: 7.5.
///
/// # Panics
/// In a warp of less than 32 lanes. Outside a kernel.
///
/// # Safety
/// `to` may be written, `from` read.
#[inline(always)]
#[track_caller]
pub unsafe fn movmatrix(to: *mut u32, from: *const u32) {
    // SAFETY: the caller's promise.
    let mut register = [unsafe { from.read() }];
    exchange(&Transposed, &mut register);
    // SAFETY: the caller's promise.
    unsafe { to.write(register[0]) };
}

/// A matrix of 8 rows of 8 elements of 16 bits becomes its transpose.
struct Transposed;

impl Together for Transposed {
    fn name(&self) -> &'static str {
        "movmatrix"
    }

    fn compute(&self, registers: &mut Registers) {
        let before = *registers;
        let element = |row: usize, column: usize| {
            before[4 * row + column / 2][0] >> (16 * (column % 2)) & 0xffff
        };
        for (lane, own) in registers.iter_mut().enumerate() {
            let (g, t) = (lane / 4, lane % 4);
            own[0] = element(2 * t, g) | element(2 * t + 1, g) << 16;
        }
    }
}

/// Whether the lane gives the address of a row.
#[inline(always)]
#[track_caller]
fn has_row(how: &Rows, row: *const u8) -> bool {
    let is_one = (lane_id() as usize) < 8 * how.matrices;
    if is_one && !row.addr().is_multiple_of(ROW) {
        let name = how.name;
        detector::misaligned(row.addr(), ROW);
        fail(&format!(
            "`{name}` was called with the address {row:p} of a row; it has to be a multiple of {ROW}"
        ));
    }
    is_one
}

impl Together for Rows {
    fn name(&self) -> &'static str {
        self.name
    }

    fn compute(&self, registers: &mut Registers) {
        let before = *registers;
        let half = |word: u32, high: usize| word >> (16 * high) & 0xffff;
        for (lane, own) in registers.iter_mut().enumerate() {
            if self.loads {
                let (g, t) = (lane / 4, lane % 4);
                for (i, own) in own[..self.matrices].iter_mut().enumerate() {
                    let element = |row: usize, column: usize| {
                        half(before[8 * i + row][column / 2], column % 2)
                    };
                    *own = match self.transposed {
                        false => before[8 * i + g][t],
                        true => element(2 * t, g) | element(2 * t + 1, g) << 16,
                    };
                }
            } else if lane < 8 * self.matrices {
                let (i, row) = (lane / 8, lane % 8);
                for (t, own) in own[..4].iter_mut().enumerate() {
                    let element = |column: usize| half(before[4 * column + row / 2][i], row % 2);
                    *own = match self.transposed {
                        false => before[4 * row + t][i],
                        true => element(2 * t) | element(2 * t + 1) << 16,
                    };
                }
            }
        }
    }
}
