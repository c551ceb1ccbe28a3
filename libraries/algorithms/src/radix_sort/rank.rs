//! Where the items of a tile go, within the tile: a stable sort by one digit.
//!
//! 1. Each warp counts the digits of its items, in counters of its own.
//! 2. One thread for each digit adds up the counters of the warps. With the sum over the smaller digits (a scan over the block) each counter becomes the
//!    place of the warp's first item with that digit.
//! 3. Each warp takes its items in their order, 32 at once. Lanes with equal digits find each other; the highest one moves the counter by as many,
//!    and each has the old value plus the number of such lanes below it.
//!
//! So places are a permutation of the tile, whatever the digits are.

use std::array::from_fn;
use std::hint::assert_unchecked;
use std::marker::PhantomData;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use warploom::device_std::atomic::{Scoped, scope};
use warploom::device_std::hint::unroll_all;
use warploom::prelude::*;

use super::key::{RadixBits, RadixKey};

/// Threads of a block.
pub(super) const THREADS: usize = 384;
/// Warps of a block.
const WARPS: usize = THREADS / LANES;
/// Threads of a warp.
pub(super) const LANES: usize = 32;
/// Values of a digit.
pub(crate) const DIGITS: usize = 256;
/// Bits of a digit at most.
pub(crate) const DIGIT_BITS: u32 = 8;
/// Counters: one for each warp and digit.
pub(super) const COUNTERS: usize = WARPS * DIGITS;

/// By which bits.
#[derive(Clone, Copy, Debug, KernelArg)]
#[repr(C)]
pub(crate) struct Order {
    /// The lowest bit.
    pub(crate) start: u32,
    /// Behind the highest bit.
    pub(crate) end: u32,
    /// Whether large keys come first.
    pub(crate) descending: bool,
}

impl Order {
    /// How many digits that are.
    #[inline(always)]
    pub(crate) fn passes(self) -> u32 {
        self.passes_by(DIGIT_BITS)
    }

    /// As [`passes`](Self::passes), for digits of `bits` bits.
    #[inline(always)]
    pub(crate) fn passes_by(self, bits: u32) -> u32 {
        (self.end - self.start).div_ceil(bits)
    }

    /// The digit of a pass.
    #[inline(always)]
    pub(crate) fn digit(self, pass: u32) -> Digit {
        self.digit_by(DIGIT_BITS, pass)
    }

    /// As [`digit`](Self::digit), for digits of `bits` bits, at most [`DIGIT_BITS`].
    #[inline(always)]
    pub(crate) fn digit_by(self, bits: u32, pass: u32) -> Digit {
        let shift = self.start + pass * bits;
        let width = (self.end - shift).min(bits);
        let mask = u32::MAX >> (32 - width);
        Digit {
            shift,
            mask,
            flip: if self.descending { mask } else { 0 },
        }
    }
}

/// Which bits of a key a pass sorts by.
#[derive(Clone, Copy, Debug, KernelArg)]
#[repr(C)]
pub(crate) struct Digit {
    /// The lowest bit.
    pub(super) shift: u32,
    /// Ones, as many as there are bits.
    pub(super) mask: u32,
    /// What the order reverses: `mask` if it descends, else 0.
    pub(super) flip: u32,
}

impl Digit {
    /// Below [`DIGITS`].
    #[inline(always)]
    fn mask(self) -> u32 {
        // SAFETY: so it is made, by `Order::digit` alone. Unchecked, because digits with another `and` would take registers of their own.
        unsafe { assert_unchecked(self.mask < DIGITS as u32) };
        self.mask
    }

    /// That of `key`.
    #[inline(always)]
    pub(crate) fn of<K: RadixKey>(self, key: K) -> u32 {
        key.bits().shifted(self.shift) & self.mask() ^ self.flip & self.mask()
    }

    /// That of `key`, behind `left` zeros: at most 24.
    #[inline(always)]
    pub(crate) fn shifted_of<K: RadixKey>(self, key: K, left: u32) -> u32 {
        let [mask, flip] = [self.mask(), self.flip & self.mask()].map(|bits| bits << left);
        key.bits().shifted_to(self.shift, left) & mask ^ flip
    }

    /// No other is larger: what places behind the last element have.
    #[inline(always)]
    pub(super) fn last(self) -> u32 {
        self.mask()
    }
}

/// The counters of a block: [`COUNTERS`] words of shared memory.
#[derive(Clone, Copy)]
pub(super) struct Counters<'k> {
    start: *mut u32,
    of: PhantomData<&'k ()>,
}

impl<'k> Counters<'k> {
    /// Bytes of all counters.
    pub(super) const BYTES: usize = COUNTERS * size_of::<u32>();

    /// In `memory`, from byte `first` on.
    #[inline(always)]
    pub(super) fn new(memory: DynamicShared<'k, u8>, first: usize) -> Self {
        assert!(first.is_multiple_of(4) && memory.len() >= first + Self::BYTES);
        Counters {
            start: memory.as_ptr().wrapping_add(first).cast(),
            of: PhantomData,
        }
    }

    /// # Safety
    /// `i` is below [`COUNTERS`]; the memory is used for nothing else between two barriers.
    #[inline(always)]
    unsafe fn at(self, i: usize) -> &'k AtomicU32 {
        // SAFETY: within the memory, which `new` has checked, and aligned; the caller excludes other accesses.
        unsafe { &*self.start.wrapping_add(i).cast() }
    }
}

/// Places of a thread's items in a tile, two in a register.
#[derive(Clone, Copy)]
pub(super) struct Places<const ITEMS: usize>([u32; ITEMS]);

impl<const ITEMS: usize> Places<ITEMS> {
    #[inline(always)]
    fn new() -> Self {
        const {
            assert!(ITEMS * THREADS <= 1 << 16);
        }
        Places([0; ITEMS])
    }

    /// Items one after the other.
    #[inline(always)]
    fn set(&mut self, k: usize, place: u32) {
        let pair = &mut self.0[k / 2];
        *pair = if k.is_multiple_of(2) {
            place
        } else {
            bytes(*pair, place, 0x5410)
        };
    }

    /// The place of item `k`.
    #[inline(always)]
    pub(super) fn get(&self, k: usize) -> u32 {
        let pair = self.0[k / 2];
        if k % 2 == 1 {
            pair >> 16
        } else if k + 1 < ITEMS {
            pair & 0xffff
        } else {
            pair
        }
    }
}

/// Digits of a thread's items, four in a register: the registers that three blocks on a multiprocessor leave are too few for more.
#[derive(Clone, Copy)]
struct Digits<const ITEMS: usize>([u32; ITEMS]);

impl<const ITEMS: usize> Digits<ITEMS> {
    #[inline(always)]
    fn of(digits: [u32; ITEMS]) -> Self {
        let mut words = [0; ITEMS];
        unroll_all::<ITEMS>(|k| {
            let word = words[k / 4];
            words[k / 4] = match k % 4 {
                0 => digits[k],
                1 => bytes(word, digits[k], 0x3240),
                2 => bytes(word, digits[k], 0x3410),
                _ => bytes(word, digits[k], 0x4210),
            };
        });
        Digits(words)
    }

    #[inline(always)]
    fn get(&self, k: usize) -> u32 {
        self.0[k / 4] >> (k % 4 * 8) & 0xff
    }
}

/// Four of the eight bytes of two words, `a` lower: the lowest four bits of `which` say which byte is the lowest, and so on. In PTX, because LLVM would see what becomes
/// of the bytes, and keep the words instead.
#[inline(always)]
fn bytes(a: u32, b: u32, which: u32) -> u32 {
    // SAFETY: the CPU's body does what the instruction does.
    unsafe {
        ptx!(
            "prmt.b32 {d}, {a}, {b}, {which};",
            d = out(u32), a = in(u32) a, b = in(u32) b, which = in(u32) which, pure,
            cpu = {
                let both = u64::from(b) << 32 | u64::from(a);
                (0..4).fold(0, |word, i| word | (both >> ((which >> (4 * i) & 7) * 8) & 0xff) << (8 * i)) as u32
            }
        )
    }
}

/// What [`rank`] finds.
pub(super) struct Ranks<const ITEMS: usize> {
    /// The place of each item of this thread.
    pub(super) places: Places<ITEMS>,
    /// Items with the digit that has the number of this thread; 0 from thread [`DIGITS`] on.
    pub(super) count: u32,
    /// Items with a smaller one.
    pub(super) smaller: u32,
}

/// The number in its tile of this thread's first item; the others follow at a distance of a warp. So a warp has items side by side, in their order.
#[inline(always)]
pub(super) fn first_item<const ITEMS: usize>(block: Block) -> u32 {
    let (thread, lanes) = (block.thread() as u32, LANES as u32);
    thread / lanes * (lanes * ITEMS as u32) + thread % lanes
}

/// The number in its tile of item `k` of this thread.
#[inline(always)]
pub(super) fn item<const ITEMS: usize>(block: Block, k: usize) -> usize {
    first_item::<ITEMS>(block) as usize + k * LANES
}

/// Sets all counters to 0. A barrier must follow.
///
/// # Safety
/// The memory of the counters is used for nothing else between the barriers before and after.
#[inline(always)]
pub(super) unsafe fn clear(block: Block, counters: Counters) {
    let thread = block.thread();
    unroll_all::<{ COUNTERS / THREADS }>(|k| {
        // SAFETY: `thread < THREADS`; the rest is the caller's promise.
        unsafe { counters.at(thread + k * THREADS) }.store(0, Relaxed);
    });
}

/// The places of all items of a block by their digits. Between [`clear`] and this lies a barrier; all threads make the call. `counted` gets the number of items with
/// the digit that has the number of the thread, and `placed` the place of item `k`, both as early as they are there: after the first and the last barrier in here.
///
/// # Safety
/// All digits are below [`DIGITS`]. The memory of the counters is used for nothing else between `clear` and the next barrier behind this.
#[inline(always)]
pub(super) unsafe fn rank<const ITEMS: usize>(
    block: Block,
    warp: Warp,
    counters: Counters,
    digits: [u32; ITEMS],
    counted: impl FnOnce(u32),
    mut placed: impl FnMut(usize, u32),
) -> Ranks<ITEMS> {
    let thread = block.thread();
    let first = (thread / LANES * DIGITS) as u32;
    // SAFETY: below `COUNTERS`: `first` is at most `(WARPS - 1) * DIGITS`, and digits are below `DIGITS` (the caller's promise).
    let of_digit = |digit: u32| unsafe { counters.at(first.wrapping_add(digit) as usize) };
    // SAFETY: below `COUNTERS` for threads below `DIGITS`, which alone make the call.
    let of_warp = |warp: usize| unsafe { counters.at(warp * DIGITS + thread) };
    let packed = Digits::of(digits);
    unroll_all::<ITEMS>(|k| {
        let counter = of_digit(digits[k]).scoped::<scope::Block>();
        counter.fetch_add(1, RELAXED);
    });
    block.sync();
    let mut count = 0;
    if thread < DIGITS {
        let counts: [u32; WARPS] = from_fn(|warp| of_warp(warp).load(Relaxed));
        count = counts.iter().sum();
    }
    counted(count);
    let smaller = sum_before(block, warp, count);
    if thread < DIGITS {
        let mut next = smaller;
        // Read again, where registers would be needed for them from above.
        let counts: [u32; WARPS] = from_fn(|warp| of_warp(warp).load(Relaxed));
        unroll_all::<WARPS>(|warp| {
            of_warp(warp).store(next, Relaxed);
            next += counts[warp];
        });
    }
    block.sync();
    // The same number again. Otherwise LLVM keeps the addresses of all counters from the loop above, in as many registers.
    let first = warp.shuffle_idx(first, 0);
    let mut places = Places::new();
    // Written out: what holds votes is not copied by compilers.
    unroll_all::<ITEMS>(|k| {
        let digit = packed.get(k);
        let peers = equal(warp, digit);
        let leader = 31 - peers.bits().leading_zeros();
        let upto = (peers & warp.lanes_up_to()).count();
        let mut before = 0;
        if warp.lane() == leader {
            // SAFETY: as above.
            let counter = unsafe { counters.at(first.wrapping_add(digit) as usize) };
            before = counter.scoped::<scope::Block>().fetch_add(upto, RELAXED);
        }
        let place = warp.shuffle_idx(before, leader) + upto - 1;
        placed(k, place);
        places.set(k, place);
    });
    Ranks {
        places,
        count,
        smaller,
    }
}

/// The sum of the counts of threads before this one, in threads below [`DIGITS`]. Holds one barrier, where a scan by the block has three.
#[inline(always)]
fn sum_before(block: Block, warp: Warp, count: u32) -> u32 {
    let sums = shared_array!(u32, DIGITS / LANES);
    let (thread, lane) = (block.thread(), warp.lane());
    let mut sum = count;
    if thread < DIGITS {
        unroll_all::<5>(|k| {
            let before = warp.shuffle_up(sum, 1 << k);
            sum += if lane < 1 << k { 0 } else { before };
        });
        if lane == 31 {
            sums.atomic(thread / LANES).store(sum, Relaxed);
        }
    }
    block.sync();
    let mut before = sum - count;
    if thread < DIGITS {
        unroll_all::<{ DIGITS / LANES }>(|k| {
            let sum = sums.atomic(k).load(Relaxed);
            before += if k < thread / LANES { sum } else { 0 };
        });
    }
    before
}

const RELAXED: warploom::device_std::atomic::Relaxed = warploom::device_std::atomic::Relaxed;

/// The lanes with the same digit, which is below [`DIGITS`]: [`Warp::match_any`] by a vote for each bit, since the instruction for the whole takes a step for each
/// different value. In PTX, because ptxas then moves seven bits to predicates by one instruction, `R2P`, and three lanes' masks are combined at once: 22 instructions.
#[inline(always)]
fn equal(warp: Warp, digit: u32) -> LaneMask {
    // SAFETY: all lanes make the call; the text depends on the digits of the warp alone, and gives what `match_any` gives.
    let lanes = unsafe {
        ptx!(
            "{{ .reg .pred p; .reg .b32 t<8>; \
             and.b32 t0, {digit}, 1; setp.ne.u32 p, t0, 0; vote.sync.ballot.b32 t0, p, 0xffffffff; @!p not.b32 t0, t0; \
             and.b32 t1, {digit}, 2; setp.ne.u32 p, t1, 0; vote.sync.ballot.b32 t1, p, 0xffffffff; @!p not.b32 t1, t1; \
             and.b32 t2, {digit}, 4; setp.ne.u32 p, t2, 0; vote.sync.ballot.b32 t2, p, 0xffffffff; @!p not.b32 t2, t2; \
             lop3.b32 t0, t0, t1, t2, 0x80; \
             and.b32 t3, {digit}, 8; setp.ne.u32 p, t3, 0; vote.sync.ballot.b32 t3, p, 0xffffffff; @!p not.b32 t3, t3; \
             and.b32 t4, {digit}, 16; setp.ne.u32 p, t4, 0; vote.sync.ballot.b32 t4, p, 0xffffffff; @!p not.b32 t4, t4; \
             lop3.b32 t0, t0, t3, t4, 0x80; \
             and.b32 t5, {digit}, 32; setp.ne.u32 p, t5, 0; vote.sync.ballot.b32 t5, p, 0xffffffff; @!p not.b32 t5, t5; \
             and.b32 t6, {digit}, 64; setp.ne.u32 p, t6, 0; vote.sync.ballot.b32 t6, p, 0xffffffff; @!p not.b32 t6, t6; \
             lop3.b32 t0, t0, t5, t6, 0x80; \
             and.b32 t7, {digit}, 128; setp.ne.u32 p, t7, 0; vote.sync.ballot.b32 t7, p, 0xffffffff; @!p not.b32 t7, t7; and.b32 {lanes}, t0, t7; }}",
            lanes = out(u32), digit = in(u32) digit, pure, convergent, cpu = { warp.match_any(digit).bits() }
        )
    };
    LaneMask::from_bits(lanes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_and_places_come_out_as_they_went_in() {
        let digits: [u32; 7] = [0, 255, 3, 128, 77, 1, 254];
        let packed = Digits::of(digits);
        assert_eq!(from_fn(|k| packed.get(k)), digits);
        let numbers: [u32; 7] = [65_535, 0, 1, 40_000, 256, 9599, 65_535];
        let mut places = Places::<7>::new();
        (0..7).for_each(|k| places.set(k, numbers[k]));
        assert_eq!(from_fn(|k| places.get(k)), numbers);
    }
}
