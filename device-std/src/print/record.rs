//! What a printing thread leaves for the host: one record per call, in a ring that both can reach.
//!
//! ```text
//! record   magic u32 | checksum u32 | position u64 | sizes: bytes of the format string 32 bits, values 8, words 24
//!          | format string | tags, 8 per word | values
//! ```
//! A record holds everything that its text is made of: the host reads the ring and nothing else, whatever threads leave there. The checksum
//! starts from a random key of the ring, so that printed values which look like a record are none.
//!
//! Everything is words of eight bytes. A thread reserves its record with one atomic addition to `head`; the word at `position` lies at
//! `position & mask` of the ring, so newer records overwrite the oldest ones, and a record may go on at the ring's start. The first
//! word is written last. The host looks for magic words whose record has the position of its place and the right checksum: what is
//! half written or half overwritten is no record. After its record a thread writes the record's end to `last`, which tells the host
//! that there is something to look for.

/// Where the ring is; the host writes all but `head`. Lies in device memory, the ring itself in host memory.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PrintRing {
    /// Bytes reserved so far, by all threads together.
    pub head: u64,
    /// Address of the ring's first byte, as a thread sees it. A multiple of 8.
    pub data: u64,
    /// Bytes of the ring, a power of two, less one.
    pub mask: u64,
    /// Address of the word that changes with each record.
    pub last: u64,
    /// What checksums start from. Safe code of a kernel cannot read it.
    pub key: u64,
}

/// The lower half of a record's first word.
pub const MAGIC: u32 = 0x7072_696e;
/// Bytes before the format string.
pub const HEADER_BYTES: u64 = 24;
/// The least and the most bytes of a ring.
pub const RING_BYTES: [usize; 2] = [1 << 10, 1 << 26];
/// Records start at multiples of this.
pub const ALIGN: u64 = 16;
/// Arguments of one call at most.
pub const MOST_ARGUMENTS: usize = 32;
/// Words of tags at most.
pub const TAG_WORDS: usize = MOST_ARGUMENTS / 8;

/// A record's third word: bytes of the format string, number of values, bytes of the record.
#[inline(always)]
#[must_use]
pub const fn sizes_word(format: usize, values: usize, bytes: u64) -> u64 {
    (format as u64 & 0xffff_ffff) | ((values as u64) << 32) | ((bytes / 8) << 40)
}

/// What [`sizes_word`] was made of.
#[must_use]
pub const fn sizes_of(word: u64) -> (u64, usize, u64) {
    (
        word & 0xffff_ffff,
        (word >> 32 & 0xff) as usize,
        (word >> 40) * 8,
    )
}

/// The checksum after one more word. The first word of a record is not part of it.
#[inline(always)]
#[must_use]
pub const fn mix(sum: u64, word: u64) -> u64 {
    sum.rotate_left(7).wrapping_add(word)
}

/// A record's first word, from the checksum of all others, which starts from the ring's key.
#[inline(always)]
#[must_use]
pub const fn first_word(sum: u64) -> u64 {
    let folded = (sum ^ (sum >> 32)) & 0xffff_ffff;
    (folded << 32) | MAGIC as u64
}

/// What a value is: one byte per argument. The comment says how many words the value has.
pub mod tag {
    /// One word, as all integers up to 64 bits; signed ones are extended with their sign.
    pub const U8: u8 = 1;
    /// One word.
    pub const U16: u8 = 2;
    /// One word.
    pub const U32: u8 = 3;
    /// One word; `usize` too.
    pub const U64: u8 = 4;
    /// Two words, the lower one first.
    pub const U128: u8 = 5;
    /// One word.
    pub const I8: u8 = 6;
    /// One word.
    pub const I16: u8 = 7;
    /// One word.
    pub const I32: u8 = 8;
    /// One word; `isize` too.
    pub const I64: u8 = 9;
    /// Two words, the lower one first.
    pub const I128: u8 = 10;
    /// One word: the bits.
    pub const F32: u8 = 11;
    /// One word: the bits.
    pub const F64: u8 = 12;
    /// One word: 0 or 1.
    pub const BOOL: u8 = 13;
    /// One word: the code point.
    pub const CHAR: u8 = 14;
    /// A word with the number of bytes, then these, eight to a word, the first one lowest.
    pub const STR: u8 = 15;
    /// One word: the address.
    pub const POINTER: u8 = 16;
}
