//! What the lanes of a warp make of each other's registers: products of matrices.

use super::{fail, inside};
use crate::engine::block::Arrival;
use crate::engine::warp::{Exchange, LANES, Operands, REGISTERS, Registers, Together, WarpOp};
use crate::matrix::Instruction;
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
