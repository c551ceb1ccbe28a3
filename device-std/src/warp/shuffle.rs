//! How values travel between lanes: as words of 32 bits, within segments of the warp.

use crate::Plain;

//@ rows: WS-1
/// What a shuffle moves: any plain value of at most 16 bytes. Each 4 bytes, or part of them, cost one instruction.
///
/// Integers of all widths, floats, small arrays and structs, bit for bit. What is larger does not compile:
/// ```compile_fail,E0080
/// # fn kernel(warp: warploom_device_std::Warp) {
/// let _ = warp.shuffle_idx([0u8; 17], 0);
/// # }
/// # let _ = warploom_emulator::run(warploom_emulator::Shape::new([1; 3], [1; 3]), &|| kernel(unsafe { warploom_device_std::Warp::from_launch() }));
/// ```
pub trait Shuffle: Plain {
    #[doc(hidden)]
    const WORDS: usize = {
        assert!(
            size_of::<Self>() <= 16,
            "lanes exchange values of at most 16 bytes; exchange larger ones in parts"
        );
        size_of::<Self>().div_ceil(4)
    };
}

impl<T: Plain> Shuffle for T {}

/// The bytes of a value as words; what the value does not fill is 0.
#[derive(Clone, Copy)]
pub(crate) struct Words(pub(crate) [u32; 4]);

impl Words {
    /// Whole words first, then the bytes that are left: so LLVM keeps everything in registers.
    #[inline(always)]
    pub(crate) fn of<T: Shuffle>(value: T) -> Self {
        let mut words = [0u32; 4];
        let from = (&raw const value).cast::<u8>();
        let mut at = 0;
        while at < T::WORDS {
            let left = size_of::<T>() - 4 * at;
            // SAFETY: a byte of `value`.
            let from = unsafe { from.add(4 * at) };
            words[at] = match left {
                // SAFETY: a byte of `value`, of a type without padding, as all below.
                1 => u32::from(unsafe { from.read() }),
                // SAFETY: 2 bytes are left.
                2 => u32::from(unsafe { from.cast::<u16>().read_unaligned() }),
                3 => {
                    // SAFETY: 3 bytes are left.
                    let [a, b, c] = unsafe { from.cast::<[u8; 3]>().read() };
                    u32::from_le_bytes([a, b, c, 0])
                }
                // SAFETY: at least 4 bytes are left.
                _ => unsafe { from.cast::<u32>().read_unaligned() },
            };
            at += 1;
        }
        Words(words)
    }

    #[inline(always)]
    pub(crate) fn value<T: Shuffle>(self) -> T {
        let mut value = core::mem::MaybeUninit::<T>::uninit();
        let to = value.as_mut_ptr().cast::<u8>();
        let mut at = 0;
        while at < T::WORDS {
            let (word, left) = (self.0[at], size_of::<T>() - 4 * at);
            // SAFETY: a byte of `value`.
            let to = unsafe { to.add(4 * at) };
            match left {
                // SAFETY: a byte of `value`.
                1 => unsafe { to.write(word as u8) },
                // SAFETY: 2 bytes are left.
                2 => unsafe { to.cast::<u16>().write_unaligned(word as u16) },
                3 => {
                    let [a, b, c, _] = word.to_le_bytes();
                    // SAFETY: 3 bytes are left.
                    unsafe { to.cast::<[u8; 3]>().write([a, b, c]) };
                }
                // SAFETY: at least 4 bytes are left.
                _ => unsafe { to.cast::<u32>().write_unaligned(word) },
            }
            at += 1;
        }
        // SAFETY: all bytes were written, and any bytes are a value of a plain type.
        unsafe { value.assume_init() }
    }
}

/// Sends each word of `$value` through `$body`, which sees it as `$word`. A macro, so that the emulator sees the caller's place.
macro_rules! exchange {
    ($ty:ty, $value:expr, |$word:ident| $body:expr) => {{
        let mut words = $crate::warp::shuffle::Words::of::<$ty>($value);
        if <$ty as $crate::warp::Shuffle>::WORDS > 0 {
            let $word = words.0[0];
            words.0[0] = $body;
        }
        if <$ty as $crate::warp::Shuffle>::WORDS > 1 {
            let $word = words.0[1];
            words.0[1] = $body;
        }
        if <$ty as $crate::warp::Shuffle>::WORDS > 2 {
            let $word = words.0[2];
            words.0[2] = $body;
        }
        if <$ty as $crate::warp::Shuffle>::WORDS > 3 {
            let $word = words.0[3];
            words.0[3] = $body;
        }
        words.value::<$ty>()
    }};
}
pub(crate) use exchange;

/// The segments of a warp in which a shuffle works as if each were a warp of its own. CUDA: the argument `width`.
///
/// ```
/// # use warploom_emulator::{run, Shape};
/// use warploom_device_std::{Warp, Width};
/// fn kernel(warp: Warp) {
///     let left = warp.shuffle_up_in(warp.lane(), 1, Width::W8);
///     assert_eq!(left, if warp.lane() % 8 == 0 { warp.lane() } else { warp.lane() - 1 });
/// }
/// # run(Shape::new([1, 1, 1], [64, 1, 1]), &|| kernel(unsafe { Warp::from_launch() }))?;
/// # Ok::<(), warploom_emulator::Fault>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// Each lane alone.
    W1 = 1,
    /// Pairs.
    W2 = 2,
    /// 4 lanes.
    W4 = 4,
    /// 8 lanes.
    W8 = 8,
    /// Halves of a warp.
    W16 = 16,
    /// The whole warp.
    W32 = 32,
}

impl Width {
    /// All of them, narrowest first.
    pub const ALL: [Width; 6] = [
        Width::W1,
        Width::W2,
        Width::W4,
        Width::W8,
        Width::W16,
        Width::W32,
    ];

    /// The number of lanes of a segment.
    #[inline(always)]
    #[must_use]
    pub const fn lanes(self) -> u32 {
        self as u32
    }

    /// PTX operand *c* of the modes that stop at the last lane of a segment: `idx`, `down`, `bfly`.
    #[inline(always)]
    pub(crate) const fn to_last(self) -> u32 {
        to_last(self.lanes())
    }

    /// PTX operand *c* of the mode that stops at the first lane of a segment: `up`.
    #[inline(always)]
    pub(crate) const fn to_first(self) -> u32 {
        to_first(self.lanes())
    }
}

/// As [`Width::to_last`], for segments of `lanes`.
#[inline(always)]
pub(crate) const fn to_last(lanes: u32) -> u32 {
    (32 - lanes) << 8 | 31
}

/// As [`Width::to_first`], for segments of `lanes`.
#[inline(always)]
pub(crate) const fn to_first(lanes: u32) -> u32 {
    (32 - lanes) << 8
}
