//! Loads and stores of the matrices of a warp. PTX: `wmma.load`, `wmma.store`.

use super::matrix::exchange;
use super::{fail, lane_id};
use crate::detector;
use crate::engine::warp::{Registers, Together};
use crate::matrix::Fragment;

/// One load or store: which element of the matrix goes to which register.
#[derive(Debug)]
pub struct WmmaTile {
    /// The name in messages.
    pub name: &'static str,
    /// Where the elements are in the registers of the lanes.
    pub fragment: Fragment,
    /// Whether the elements of a row are neighbours in memory, or those of a column.
    pub is_row_major: bool,
}

/// Of each lane: the two halves of the address, the stride, and then the first lane that has others.
const ARGUMENTS: usize = 4;
/// All lanes have the same arguments.
const AGREE: u32 = u32::MAX;

impl Together for WmmaTile {
    fn name(&self) -> &'static str {
        self.name
    }

    fn compute(&self, registers: &mut Registers) {
        let first: [u32; 3] = [registers[0][0], registers[0][1], registers[0][2]];
        let other = registers.iter().position(|lane| lane[..3] != first);
        for lane in registers {
            lane[3] = other.map_or(AGREE, |lane| lane as u32);
        }
    }
}

/// Each lane reads its elements of the matrix at `from`, whose lines are `stride` elements apart. Waits for all lanes of the warp.
///
/// # Panics
/// If the lanes have different arguments, if the address is not a multiple of 16 bytes (of 32 for elements of more than 8 bits), or the stride one of 16.
/// In a warp of less than 32 lanes. Outside a kernel.
///
/// # Safety
/// The lines are valid for reads, and no thread writes them at the same time. `registers` are those that the tile says a lane has, and may be written.
#[inline(always)]
#[track_caller]
pub unsafe fn wmma_load(
    tile: &'static WmmaTile,
    registers: *mut u32,
    from: *const u8,
    stride: u32,
) {
    agree(tile, from, stride);
    tile.each_piece(stride, |register, place| {
        // SAFETY: an element of the matrix, in the caller's promise.
        let at = unsafe { from.add(place) };
        // SAFETY: within the lane's registers.
        let register = unsafe { registers.cast::<u8>().add(register) };
        match tile.piece() {
            1 => detector::reads::<1>(at),
            2 => detector::reads::<2>(at),
            4 => detector::reads::<4>(at),
            _ => detector::reads::<8>(at),
        }
        // SAFETY: as above; memory of the kernel and registers of the lane do not overlap.
        unsafe { register.copy_from_nonoverlapping(at, tile.piece()) };
    });
}

/// Each lane writes its elements of the matrix at `to`, whose lines are `stride` elements apart. Waits for all lanes of the warp.
///
/// # Panics
/// As [`wmma_load`].
///
/// # Safety
/// The lines are valid for writes, and no other thread accesses them at the same time. `registers` are those that the tile says a lane has.
#[inline(always)]
#[track_caller]
pub unsafe fn wmma_store(tile: &'static WmmaTile, registers: *const u32, to: *mut u8, stride: u32) {
    agree(tile, to, stride);
    tile.each_piece(stride, |register, place| {
        // SAFETY: an element of the matrix, in the caller's promise.
        let at = unsafe { to.add(place) };
        // SAFETY: within the lane's registers.
        let register = unsafe { registers.cast::<u8>().add(register) };
        let mut value = [0; 8];
        // SAFETY: as above.
        unsafe { register.copy_to_nonoverlapping(value.as_mut_ptr(), tile.piece()) };
        let value = Some(u64::from_le_bytes(value));
        match tile.piece() {
            1 => detector::writes::<1>(at, value),
            2 => detector::writes::<2>(at, value),
            4 => detector::writes::<4>(at, value),
            _ => detector::writes::<8>(at, value),
        }
        // SAFETY: as above; memory of the kernel and registers of the lane do not overlap.
        unsafe { register.copy_to_nonoverlapping(at, tile.piece()) };
    });
}

/// Waits for the other lanes, and compares their arguments.
#[inline(always)]
#[track_caller]
fn agree(tile: &'static WmmaTile, at: *const u8, stride: u32) {
    let address = at.addr() as u64;
    let mut arguments: [u32; ARGUMENTS] = [address as u32, (address >> 32) as u32, stride, AGREE];
    exchange(tile, &mut arguments);
    let [.., other] = arguments;
    if other != AGREE {
        fail(&format!(
            "`{}` was called with other arguments by lane {other} than by lane 0 (lane {}: the address {address:#x}, {stride} elements from line to line); \
             all lanes of a warp name the same matrix",
            tile.name,
            lane_id()
        ));
    }
    let bits = tile.fragment.bits;
    let align = if bits <= 8 { 16 } else { 32 };
    if !address.is_multiple_of(align) {
        detector::misaligned(at.addr(), align as usize);
    }
    if !address.is_multiple_of(align) || !(u64::from(stride) * u64::from(bits)).is_multiple_of(128)
    {
        fail(&format!(
            "`{}` was called with the address {address:#x} and {stride} elements of {bits} bits from line to line; \
             the address is a multiple of {align} bytes, and a line begins a multiple of 16 bytes behind the one before",
            tile.name
        ));
    }
}

impl WmmaTile {
    /// Bytes that are read and written at once: an element, or a register of elements with fewer than 8 bits.
    fn piece(&self) -> usize {
        match self.fragment.bits {
            bits @ 8.. => bits as usize / 8,
            _ => 4,
        }
    }

    /// The pieces of the lane that runs: where in its registers, and where in the matrix, both in bytes.
    fn each_piece(&self, stride: u32, mut f: impl FnMut(usize, usize)) {
        let (lane, bits) = (lane_id(), self.fragment.bits);
        let elements = (self.piece() as u32 * 8) / bits;
        for i in (0..self.fragment.elements).step_by(elements as usize) {
            let (row, column) = (self.fragment.coords)(lane, i);
            let (line, place) = if self.is_row_major {
                (row, column)
            } else {
                (column, row)
            };
            let at = (u64::from(line) * u64::from(stride) + u64::from(place)) * u64::from(bits) / 8;
            f((i * bits / 8) as usize, at as usize);
        }
    }
}

/// `x` with 10 bits of fraction, to nearest, ties away from zero. What is no number loses the last 13 bits, which may make an infinity of it.
///
/// CUDA: `__float_to_tf32`. PTX: `cvt.rna.tf32.f32`.
#[must_use]
pub fn f32_to_tf32_rna(x: f32) -> u32 {
    const IGNORED: u32 = 0x1fff;
    const HALF: u32 = 0x1000;
    // A carry out of the fraction is the next exponent, up to infinity.
    let bits = x.to_bits() + if x.is_finite() { HALF } else { 0 };
    bits & !IGNORED
}
