//! Products of matrices by the four warps of a group.
//!
//! Each warp computes its 16 rows when its lanes have met, at once. On a GPU the product may go on until it is waited for, so the detector is told of what it
//! reads twice: when it begins and when it has been waited for.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::matrix::exchange;
use super::{fail, inside};
use crate::detector;
use crate::engine::warp::{LANES, Registers, Together};
use crate::matrix::{GROUP_ROWS, GroupProduct, Lines};

/// `d = a · b + d`, begun. PTX: `wgmma.mma_async.sync.aligned`. Compute capability: 9.0a.
///
/// # Panics
/// If the lanes of the warp do not agree on the operands. In a warp of less than 32 lanes. Outside a kernel.
///
/// # Safety
/// `d` and, where A is in registers, `of_a` are those of as many registers as the instruction has. `a` and `b` are where operands in shared memory begin, as
/// their layouts say, and no thread writes them meanwhile.
#[track_caller]
pub unsafe fn wgmma_product(
    d: *mut u32,
    of_a: *const u32,
    a: *const u8,
    layout_a: u64,
    b: *const u8,
    layout_b: u64,
    number: u32,
) {
    let Some(product) = GroupProduct::of(number) else {
        fail(&format!(
            "no product of a warp group has the number {number}"
        ));
    };
    let warp = inside("wgmma_product", |running| running.thread.get() / LANES);
    if !product.a_in_registers {
        let lines = Lines::of(a.addr(), layout_a, product.a_transposed);
        reads(&lines, a, 64);
    }
    let lines = Lines::of(b.addr(), layout_b, product.b_transposed);
    reads(&lines, b, product.columns);
    let handed_in = Handed {
        d,
        of_a,
        a,
        layout_a,
        b,
        layout_b,
        number,
        warp,
    };
    if super::lane_id() == 0 {
        begin(&handed_in);
    }
    let mut registers = handed_in.to_registers();
    exchange(&Product, &mut registers);
    if registers[HANDED - 1] == DISAGREED {
        fail(
            "the lanes of a warp began `wgmma_product` with different operands: all threads of a warp group give the same ones",
        );
    }
}

/// Notes that the warp begins this product; fails if another warp of its group began another one in its place.
#[track_caller]
fn begin(product: &Handed) {
    let mut is_same = true;
    inside("wgmma_product", |running| {
        running.note(|block, thread| is_same = block.begin_product(thread, product.operands()));
    });
    if !is_same {
        fail(
            "the warps of a group began `wgmma_product` with different operands, or in another order: all threads of a warp group make the same calls with the same operands",
        );
    }
}

/// Bytes that lie together wherever an operand lies.
const CHUNK: usize = 16;

/// Tells the detector of the lane's part of what the warp reads.
fn reads(lines: &Lines, start: *const u8, count: usize) {
    let lane = super::lane_id() as usize;
    let chunks = lines.chunks(count).into_iter();
    let own: Vec<_> = chunks
        .skip(lane)
        .step_by(LANES as usize)
        .map(|address| start.with_addr(address))
        .collect();
    for address in &own {
        detector::bulk_reads_shared_now(*address, CHUNK, CHUNK);
    }
    inside("wgmma_product", |running| {
        running.note(|block, thread| block.begin_reads(thread, &own));
    });
}

/// What a lane hands in.
#[derive(Clone, Copy)]
struct Handed {
    d: *mut u32,
    of_a: *const u32,
    a: *const u8,
    layout_a: u64,
    b: *const u8,
    layout_b: u64,
    number: u32,
    warp: u32,
}

/// Registers that [`Handed`] takes.
const HANDED: usize = 14;

/// What lanes get back in the last of them if they did not agree.
const DISAGREED: u32 = u32::MAX;

impl Handed {
    fn to_registers(self) -> [u32; HANDED] {
        let words = [
            self.d.expose_provenance() as u64,
            self.of_a.expose_provenance() as u64,
            self.a.expose_provenance() as u64,
            self.layout_a,
            self.b.expose_provenance() as u64,
            self.layout_b,
        ];
        let mut registers = [0; HANDED];
        for (two, word) in registers.chunks_exact_mut(2).zip(words) {
            two.copy_from_slice(&[word as u32, (word >> 32) as u32]);
        }
        registers[12..].copy_from_slice(&[self.number, self.warp]);
        registers
    }

    /// A number that stands for the operands that all threads of a group have in common.
    fn operands(&self) -> u64 {
        let words = [
            self.a.addr() as u64,
            self.layout_a,
            self.b.addr() as u64,
            self.layout_b,
            u64::from(self.number),
        ];
        let mut hasher = DefaultHasher::new();
        words.hash(&mut hasher);
        hasher.finish()
    }

    fn of_registers(registers: &[u32]) -> Self {
        let word = |i: usize| u64::from(registers[2 * i]) | u64::from(registers[2 * i + 1]) << 32;
        let address = |i: usize| word(i) as usize;
        Self {
            d: std::ptr::with_exposed_provenance_mut(address(0)),
            of_a: std::ptr::with_exposed_provenance(address(1)),
            a: std::ptr::with_exposed_provenance(address(2)),
            layout_a: word(3),
            b: std::ptr::with_exposed_provenance(address(4)),
            layout_b: word(5),
            number: registers[12],
            warp: registers[13],
        }
    }

    /// Whether another lane has the same operands in shared memory.
    fn agrees(&self, other: &Self) -> bool {
        (self.a, self.layout_a) == (other.a, other.layout_a)
            && (self.b, self.layout_b) == (other.b, other.layout_b)
            && self.number == other.number
    }
}

/// A product of one warp.
struct Product;

impl Together for Product {
    fn name(&self) -> &'static str {
        "wgmma_product"
    }

    fn compute(&self, registers: &mut Registers) {
        let lanes = registers.each_ref().map(|own| Handed::of_registers(own));
        let first = lanes[0];
        if lanes.iter().any(|lane| !lane.agrees(&first)) {
            for own in registers {
                own[HANDED - 1] = DISAGREED;
            }
            return;
        }
        let Some(product) = GroupProduct::of(first.number) else {
            return; // each lane has looked
        };
        let read = |start: *const u8| {
            move |address: usize| -> [u8; CHUNK] {
                // SAFETY: the operand lies in shared memory, as the lanes have promised.
                unsafe { start.with_addr(address).cast::<[u8; CHUNK]>().read() }
            }
        };
        let bits = product.bits();
        let a = match product.a_in_registers {
            true => of_registers(&product, &lanes),
            false => {
                let lines = Lines::of(first.a.addr(), first.layout_a, product.a_transposed);
                let rows = (first.warp as usize % 4 * GROUP_ROWS, GROUP_ROWS);
                lines.elements(rows, bits, read(first.a))
            }
        };
        let lines = Lines::of(first.b.addr(), first.layout_b, product.b_transposed);
        let b = lines.elements((0, product.columns), bits, read(first.b));
        let mut d = vec![0; GROUP_ROWS * product.columns];
        each_of_d(&product, &lanes, |at, element| d[at] = element.get());
        product.compute(&a, &b, &mut d);
        each_of_d(&product, &lanes, |at, element| element.set(d[at]));
    }
}

/// The rows of A that the lanes hold: each register has neighbours of a row.
fn of_registers(product: &GroupProduct, lanes: &[Handed; LANES as usize]) -> Vec<u64> {
    let (k, bits) = (product.k(), product.bits() as usize);
    let per_register = 32 / bits;
    let mut a = vec![0; GROUP_ROWS * k];
    for (lane, own) in lanes.iter().enumerate() {
        for register in 0..4 {
            // SAFETY: four registers, which the lane that waits has.
            let word = u64::from(unsafe { own.of_a.wrapping_add(register).read() });
            let row = lane / 4 + 8 * (register % 2);
            let column = per_register * (lane % 4 + 4 * (register / 2));
            for i in 0..per_register {
                let mask = u64::MAX >> (64 - bits);
                a[row * k + column + i] = word >> (i * bits) & mask;
            }
        }
    }
    a
}

/// An element of D in a register of a lane.
struct ElementOfD {
    register: *mut u32,
    shift: u32,
    bits: u32,
}

impl ElementOfD {
    fn mask(&self) -> u32 {
        u32::MAX >> (32 - self.bits)
    }

    fn get(&self) -> u64 {
        // SAFETY: a register of a lane that waits.
        let word = unsafe { self.register.read() };
        u64::from(word >> self.shift & self.mask())
    }

    fn set(&self, value: u64) {
        // SAFETY: a register of a lane that waits.
        let word = unsafe { self.register.read() };
        let rest = word & !(self.mask() << self.shift);
        // SAFETY: as above.
        unsafe { self.register.write(rest | (value as u32) << self.shift) };
    }
}

/// Calls `with` for each element of D, with its place in rows.
fn each_of_d(
    product: &GroupProduct,
    lanes: &[Handed; LANES as usize],
    mut with: impl FnMut(usize, &ElementOfD),
) {
    let bits = product.sum_bits();
    let per_register = 32 / bits as usize;
    for (lane, own) in lanes.iter().enumerate() {
        for i in 0..product.columns / 2 {
            let row = lane / 4 + 8 * (i / 2 % 2);
            let column = 8 * (i / 4) + 2 * (lane % 4) + i % 2;
            let element = ElementOfD {
                register: own.d.wrapping_add(i / per_register),
                shift: (i % per_register) as u32 * bits,
                bits,
            };
            with(row * product.columns + column, &element);
        }
    }
}

/// Orders accesses to the registers of D before products. PTX: `wgmma.fence.sync.aligned`. Compute capability: 9.0a.
///
/// # Panics
/// Outside a kernel.
///
/// # Safety
/// None here.
#[track_caller]
pub unsafe fn wgmma_fence(_d: *mut u32, _number: u32) {
    inside("wgmma_fence", |_| ());
}

/// Ends a group of products. PTX: `wgmma.commit_group.sync.aligned`. Compute capability: 9.0a.
///
/// # Panics
/// Outside a kernel.
///
/// # Safety
/// None here.
#[track_caller]
pub unsafe fn wgmma_commit() {
    inside("wgmma_commit", |running| {
        running.note(|block, thread| block.close_products(thread));
    });
}

/// Waits until at most so many of the latest groups of products are under way. PTX: `wgmma.wait_group.sync.aligned`. Compute capability: 9.0a.
///
/// # Panics
/// Outside a kernel.
///
/// # Safety
/// None here.
#[track_caller]
pub unsafe fn wgmma_wait(_d: *mut u32, number: u32) {
    let mut ended = Vec::new();
    inside("wgmma_wait", |running| {
        let pending = (number >> 24) as usize;
        running.note(|block, thread| ended = block.end_products(thread, pending));
    });
    // On a GPU they may have read until now: who wrote there must have known that this thread has waited. Whether a proxy fence was made, was asked when they began.
    for address in ended {
        detector::reads::<CHUNK>(address);
    }
}

/// Registers are not counted here. PTX: `setmaxnreg.sync.aligned`. Compute capability: 9.0a.
///
/// # Panics
/// Outside a kernel.
///
/// # Safety
/// None here.
#[track_caller]
pub unsafe fn set_registers(_number: u32) {
    inside("set_registers", |_| ());
}

/// Whether the lane is the one that is chosen: the lowest, as on GPUs so far. PTX: `elect.sync`. Compute capability: 9.0.
///
/// # Panics
/// Outside a kernel.
///
/// # Safety
/// None here.
#[track_caller]
pub unsafe fn elect_one() -> bool {
    super::vote_ballot(u32::MAX, true).trailing_zeros() == super::lane_id()
}
