//! Values as words of 32 bits: how the state of a tile travels between blocks, and between the warps of one.

use core::mem::transmute_copy;

use warploom::device_std::Plain;

/// Words of a state at most.
pub(crate) const WORDS: usize = 6;

/// What a block tells the blocks of later tiles.
pub(crate) trait State: Copy {
    /// Words that it takes, at most six.
    const WORDS: usize;
    /// Whether the first two words are a number below 2^62.
    const NUMBER: bool = false;
    /// Whether some tiles have states that are prefixes: see [`Self::is_prefix`].
    const MAY_BE_PREFIX: bool = false;
    /// Whether it stays as it is when it is combined with what earlier tiles have.
    #[inline(always)]
    fn is_prefix(self) -> bool {
        false
    }
    /// The words; those beyond [`Self::WORDS`] are 0.
    fn to_words(self) -> [u32; WORDS];
    /// The value of these words.
    fn from_words(words: [u32; WORDS]) -> Self;
}

/// A plain value of at most 16 bytes.
#[derive(Clone, Copy)]
pub(crate) struct Value<T>(pub T);

impl<T: Plain> State for Value<T> {
    const WORDS: usize = {
        assert!(
            size_of::<T>() <= 16,
            "scans and selections combine values of at most 16 bytes"
        );
        size_of::<T>().div_ceil(4)
    };

    #[inline(always)]
    fn to_words(self) -> [u32; WORDS] {
        // As an array of the same size, so that nothing passes through memory.
        match size_of::<T>() {
            1 => [u32::from(bits::<T, u8>(self.0)), 0, 0, 0, 0, 0],
            2 => [u32::from(bits::<T, u16>(self.0)), 0, 0, 0, 0, 0],
            4 => [bits(self.0), 0, 0, 0, 0, 0],
            8 => {
                let [a, b] = bits(self.0);
                [a, b, 0, 0, 0, 0]
            }
            12 => {
                let [a, b, c] = bits(self.0);
                [a, b, c, 0, 0, 0]
            }
            16 => {
                let [a, b, c, d] = bits(self.0);
                [a, b, c, d, 0, 0]
            }
            _ => {
                let mut bytes = [0u8; 4 * WORDS];
                for (i, byte) in bytes.iter_mut().enumerate().take(size_of::<T>()) {
                    *byte = byte_of(&self.0, i);
                }
                bits(bytes)
            }
        }
    }

    #[inline(always)]
    fn from_words(words: [u32; WORDS]) -> Self {
        let [a, b, c, d, ..] = words;
        Value(match size_of::<T>() {
            1 => bits(a as u8),
            2 => bits(a as u16),
            4 => bits(a),
            8 => bits([a, b]),
            12 => bits([a, b, c]),
            16 => bits([a, b, c, d]),
            _ => bits(words),
        })
    }
}

/// The first bytes of `value` as another type.
///
/// # Panics
/// When the other type is larger.
#[inline(always)]
fn bits<T: Plain, U: Plain>(value: T) -> U {
    assert!(size_of::<U>() <= size_of::<T>(), "a larger type");
    // SAFETY: `value` has that many bytes, none of them padding, and any bytes are a plain value.
    unsafe { transmute_copy(&value) }
}

/// Byte `i` of `value`.
#[inline(always)]
fn byte_of<T: Plain>(value: &T, i: usize) -> u8 {
    assert!(i < size_of::<T>(), "a byte of another value");
    let start = core::ptr::from_ref(value).cast::<u8>();
    // SAFETY: within the value.
    let byte = unsafe { start.add(i) };
    // SAFETY: a byte of a plain value, which has no padding.
    unsafe { byte.read() }
}

/// Each of the first `n` words after `of`, which is given its number too.
#[inline(always)]
pub(crate) fn each(words: [u32; WORDS], n: usize, of: impl Fn(usize, u32) -> u32) -> [u32; WORDS] {
    let [a, b, c, d, e, f] = words;
    // Not a loop: it would be unrolled after arrays were put into memory.
    [
        if n > 0 { of(0, a) } else { a },
        if n > 1 { of(1, b) } else { b },
        if n > 2 { of(2, c) } else { c },
        if n > 3 { of(3, d) } else { d },
        if n > 4 { of(4, e) } else { e },
        if n > 5 { of(5, f) } else { f },
    ]
}

/// A number of elements.
#[derive(Clone, Copy)]
pub(crate) struct Count(pub usize);

impl State for Count {
    const WORDS: usize = 2;
    const NUMBER: bool = true;

    #[inline(always)]
    fn to_words(self) -> [u32; WORDS] {
        let Count(n) = self;
        [n as u32, (n as u64 >> 32) as u32, 0, 0, 0, 0]
    }

    #[inline(always)]
    fn from_words([low, high, ..]: [u32; WORDS]) -> Self {
        Count((u64::from(high) << 32 | u64::from(low)) as usize)
    }
}

/// How many segments begin in some elements, and the value of the last segment among them.
#[derive(Clone, Copy)]
pub(crate) struct Segments<T> {
    /// Segments that begin.
    pub(crate) begun: usize,
    /// What the elements from the last beginning on have, or all elements if no segment begins.
    pub(crate) value: T,
}

impl<T: Plain> State for Segments<T> {
    const WORDS: usize = 2 + Value::<T>::WORDS;
    const NUMBER: bool = true;

    #[inline(always)]
    fn to_words(self) -> [u32; WORDS] {
        let [a, b, c, d, ..] = Value(self.value).to_words();
        let [low, high, ..] = Count(self.begun).to_words();
        [low, high, a, b, c, d]
    }

    #[inline(always)]
    fn from_words([low, high, a, b, c, d]: [u32; WORDS]) -> Self {
        let Count(begun) = Count::from_words([low, high, 0, 0, 0, 0]);
        let Value(value) = Value::from_words([a, b, c, d, 0, 0]);
        Segments { begun, value }
    }
}

/// Whether a segment begins in some elements, and the value of the last segment among them.
#[derive(Clone, Copy)]
pub(crate) struct Begun<T> {
    pub(crate) begun: bool,
    /// What the elements from the last beginning on have, or all elements if no segment begins.
    pub(crate) value: T,
}

impl<T: Copy> Begun<T> {
    /// What both have together, `later` being behind this.
    #[inline(always)]
    pub(crate) fn with(self, later: Self, op: impl Fn(T, T) -> T) -> Self {
        Begun {
            begun: self.begun || later.begun,
            value: if later.begun {
                later.value
            } else {
                op(self.value, later.value)
            },
        }
    }
}

impl<T: Plain> State for Begun<T> {
    const WORDS: usize = 1 + Value::<T>::WORDS;
    // With a value of 32 bits, the bit is that of 2^32.
    const NUMBER: bool = Value::<T>::WORDS == 1;
    const MAY_BE_PREFIX: bool = true;

    #[inline(always)]
    fn is_prefix(self) -> bool {
        self.begun
    }

    #[inline(always)]
    fn to_words(self) -> [u32; WORDS] {
        let ([a, b, c, d, ..], begun) = (Value(self.value).to_words(), u32::from(self.begun));
        if Self::NUMBER {
            [a, begun, 0, 0, 0, 0]
        } else {
            [begun, a, b, c, d, 0]
        }
    }

    #[inline(always)]
    fn from_words(words: [u32; WORDS]) -> Self {
        let (begun, value) = match words {
            [a, begun, ..] if Self::NUMBER => (begun, [a, 0, 0, 0, 0, 0]),
            [begun, a, b, c, d, _] => (begun, [a, b, c, d, 0, 0]),
        };
        let Value(value) = Value::from_words(value);
        Begun {
            begun: begun != 0,
            value,
        }
    }
}
