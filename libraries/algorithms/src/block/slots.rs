//! Words of shared memory as elements of any plain type, each word a relaxed atomic.
//!
//! An element has as many words of 32 bits as it fills or begins. The first words of all elements lie side by side, then the second words: so threads that access
//! neighbouring elements use different banks, whatever the size of the elements. Words of one size alone: atomics of two sizes would race.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use warploom::device_std::integer::funnel_shift_right;
use warploom::prelude::*;

/// Shared memory that is accessed by atomics alone.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Region<'s> {
    start: *mut u32,
    words: usize,
    _storage: PhantomData<&'s ()>,
}

impl<'s> Region<'s> {
    /// # Safety
    /// There are `words` from `start`, aligned to 4 bytes, as long as `'s`; no access that is not atomic comes at the same time as another.
    #[inline(always)]
    pub(super) unsafe fn of(start: *mut u32, words: usize) -> Self {
        Region {
            start,
            words,
            _storage: PhantomData,
        }
    }

    #[inline(always)]
    pub(super) fn start(self) -> *mut u32 {
        self.start
    }

    /// `count` elements behind the first `bytes`, which are a multiple of 4; `padded` for accesses at distances that are powers of two.
    ///
    /// # Panics
    /// When they do not fit: all numbers are constants, and each piece has compared them with the storage's when it was compiled.
    #[inline(always)]
    pub(super) fn slots<T: Plain>(self, bytes: usize, count: usize, padded: bool) -> Slots<'s, T> {
        const {
            assert!(
                size_of::<T>() > 0 && size_of::<T>() <= 64,
                "items in shared memory have 1 to 64 bytes"
            );
        }
        assert!(bytes + slots_bytes::<T>(count, padded) <= 4 * self.words);
        Slots {
            start: self.start.wrapping_add(bytes / 4),
            count,
            padded,
            _elements: PhantomData,
        }
    }
}

/// Bytes of the slots.
pub(super) const fn slots_bytes<T>(count: usize, padded: bool) -> usize {
    4 * size_of::<T>().div_ceil(4) * places(count, padded)
}

/// Places of `count` elements.
const fn places(count: usize, padded: bool) -> usize {
    if padded { count + count / 32 } else { count }
}

/// Whether threads that each have `items` side by side would use the same banks without a gap behind each 32 elements.
pub(super) const fn is_padded(items: usize) -> bool {
    items > 1 && items.is_power_of_two()
}

/// `count` elements in shared memory.
#[derive(Clone, Copy)]
pub(super) struct Slots<'s, T> {
    start: *mut u32,
    count: usize,
    padded: bool,
    _elements: PhantomData<&'s T>,
}

macro_rules! for_words {
    ($n:expr, $k:ident => $body:expr) => {
        // Not a loop: it would be unrolled after arrays were put into memory.
        for_words!($n, $k => $body; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    ($n:expr, $k:ident => $body:expr; $($index:literal)*) => {
        $(if $index < $n { let $k = $index; $body })*
    };
}

impl<T: Plain> Slots<'_, T> {
    const WORDS: usize = size_of::<T>().div_ceil(4);

    /// Writes element `i` if there is one.
    #[inline(always)]
    pub(super) fn write(self, i: usize, value: T) {
        if i >= self.count {
            return;
        }
        for_words!(Self::WORDS, k => self.word(i, k).store(word_of(&value, k), Relaxed));
    }

    /// Element `i`; the last one if `i` is not below the number of elements.
    #[inline(always)]
    pub(super) fn read(self, i: usize) -> T {
        let i = i.min(self.count - 1);
        let mut value = MaybeUninit::uninit();
        for_words!(Self::WORDS, k => put_word(&mut value, k, self.word(i, k).load(Relaxed)));
        // SAFETY: all bytes were written, and any bytes are a value of a plain type.
        unsafe { value.assume_init() }
    }

    /// As [`write`](Self::write), where the places of a thread have nothing in common that the compiler could know.
    #[inline(always)]
    pub(super) fn write_anywhere(self, i: u32, value: T) {
        if i as usize >= self.count {
            return;
        }
        for_words!(Self::WORDS, k => self.word_anywhere(i, k).store(word_of(&value, k), Relaxed));
    }

    /// As [`read`](Self::read), where the places of a thread have nothing in common that the compiler could know.
    #[inline(always)]
    pub(super) fn read_anywhere(self, i: u32) -> T {
        let i = i.min(self.count as u32 - 1);
        let mut value = MaybeUninit::uninit();
        for_words!(Self::WORDS, k => put_word(&mut value, k, self.word_anywhere(i, k).load(Relaxed)));
        // SAFETY: all bytes were written, and any bytes are a value of a plain type.
        unsafe { value.assume_init() }
    }

    /// As [`word`](Self::word), for [`read_anywhere`](Self::read_anywhere) and [`write_anywhere`](Self::write_anywhere).
    #[inline(always)]
    fn word_anywhere(&self, i: u32, k: usize) -> &AtomicU32 {
        debug_assert!((i as usize) < self.count && k < Self::WORDS);
        let gaps = if self.padded { divided_by_32(i) } else { 0 };
        let place = k * places(self.count, self.padded) + i.wrapping_add(gaps) as usize;
        // SAFETY: as in `word`: the same place.
        unsafe { AtomicU32::from_ptr(self.start.wrapping_add(place)) }
    }

    /// Word `k` of element `i`.
    #[inline(always)]
    fn word(&self, i: usize, k: usize) -> &AtomicU32 {
        let at = self.start.wrapping_add(self.place(i, k));
        // SAFETY: `i` is below `count` and `k` below the words of an element, for which `slots` saw that there is room; as for the rest see `Region::of`.
        unsafe { AtomicU32::from_ptr(at) }
    }

    #[inline(always)]
    fn place(&self, i: usize, k: usize) -> usize {
        debug_assert!(i < self.count && k < Self::WORDS);
        k * places(self.count, self.padded) + places(i, self.padded)
    }
}

impl Slots<'_, u32> {
    /// Adds to element `i` if there is one; what it was.
    #[inline(always)]
    pub(super) fn add(self, i: usize, value: u32) -> u32 {
        if i >= self.count {
            return 0;
        }
        self.word(i, 0).fetch_add(value, Relaxed)
    }
}

/// `i / 32`, by an instruction that LLVM knows nothing of: it would multiply both terms of `i + i / 32` by the bytes of a word for their sum, which takes two instructions more.
#[inline(always)]
fn divided_by_32(i: u32) -> u32 {
    funnel_shift_right(i, 0, 5)
}

/// Bytes `4 * k ..` of `value`, up to four of them.
#[inline(always)]
fn word_of<T: Plain>(value: &T, k: usize) -> u32 {
    let from = std::ptr::from_ref(value).cast::<u8>().wrapping_add(4 * k);
    match size_of::<T>().saturating_sub(4 * k) {
        0 => 0,
        // SAFETY: so many bytes are left, of a type without padding; as in the next arms.
        1 => u32::from(unsafe { from.read() }),
        // SAFETY: see above.
        2 => u32::from(unsafe { from.cast::<u16>().read_unaligned() }),
        3 => {
            // SAFETY: see above.
            let [a, b, c] = unsafe { from.cast::<[u8; 3]>().read() };
            u32::from_le_bytes([a, b, c, 0])
        }
        // SAFETY: see above.
        _ => unsafe { from.cast::<u32>().read_unaligned() },
    }
}

#[inline(always)]
fn put_word<T: Plain>(value: &mut MaybeUninit<T>, k: usize, word: u32) {
    let to = value.as_mut_ptr().cast::<u8>().wrapping_add(4 * k);
    match size_of::<T>().saturating_sub(4 * k) {
        0 => {}
        // SAFETY: so many bytes are left, as in the next arms.
        1 => unsafe { to.write(word as u8) },
        // SAFETY: see above.
        2 => unsafe { to.cast::<u16>().write_unaligned(word as u16) },
        3 => {
            let [a, b, c, _] = word.to_le_bytes();
            // SAFETY: see above.
            unsafe { to.cast::<[u8; 3]>().write([a, b, c]) };
        }
        // SAFETY: see above.
        _ => unsafe { to.cast::<u32>().write_unaligned(word) },
    }
}
