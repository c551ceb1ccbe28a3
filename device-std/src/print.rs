//! Printing from kernels: a thread writes the format string and its arguments, the host makes text of them.
//!
//! Kernels use `gpu_println!`; its expansion calls [`emit`]. No formatting happens on the device, so a call costs an atomic addition
//! and a handful of stores. [`record`] says what is written; the runtime reads it.

mod args; // the types that can be printed
pub mod record; // what thread and host agree on

pub use args::{Address, PrintArg, PrintPointer, address, count};

use core::ptr::with_exposed_provenance_mut;
use core::sync::atomic::{AtomicU64, Ordering};

use record::{ALIGN, HEADER_BYTES, PrintRing, TAG_WORDS, first_word, mix, sizes_word};

/// Writes one call's record. Called by the expansion of `gpu_println!`; `args` is `(&first, (&second, ()))`.
///
/// Nothing happens outside kernels, and if the host reads no output. CUDA: `vprintf`.
#[doc(hidden)]
#[inline(always)]
pub fn emit<A: PrintList>(format: &'static str, args: A) {
    let tag_words = A::COUNT.div_ceil(8);
    let bytes = HEADER_BYTES + bytes_of(format) + 8 * tag_words as u64 + args.bytes();
    let Some(mut writer) = Writer::open(bytes) else {
        return;
    };
    writer.word(writer.start);
    writer.word(sizes_word(format.len(), A::COUNT, bytes));
    writer.bytes(format);
    for word in A::TAGS.iter().take(tag_words) {
        writer.word(*word);
    }
    args.put(&mut writer);
    writer.close();
}

/// Bytes that a text takes in a record, without its length.
#[inline(always)]
pub(crate) fn bytes_of(text: &str) -> u64 {
    (text.len() as u64).next_multiple_of(8)
}

/// The arguments of one call: nested pairs of references.
#[doc(hidden)]
pub trait PrintList {
    /// How many there are.
    const COUNT: usize;
    /// Their tags, the first in the lowest byte.
    const TAGS: [u64; TAG_WORDS];
    /// Bytes of all values.
    fn bytes(&self) -> u64;
    /// Writes all values.
    fn put(&self, to: &mut Writer);
}

impl PrintList for () {
    const COUNT: usize = 0;
    const TAGS: [u64; TAG_WORDS] = [0; TAG_WORDS];

    #[inline(always)]
    fn bytes(&self) -> u64 {
        0
    }

    #[inline(always)]
    fn put(&self, _: &mut Writer) {}
}

impl<T: PrintArg + ?Sized, L: PrintList> PrintList for (&T, L) {
    const COUNT: usize = 1 + L::COUNT;
    const TAGS: [u64; TAG_WORDS] = before(T::TAG, L::TAGS);

    #[inline(always)]
    fn bytes(&self) -> u64 {
        self.0.value_bytes() + self.1.bytes()
    }

    #[inline(always)]
    fn put(&self, to: &mut Writer) {
        self.0.put(to);
        self.1.put(to);
    }
}

/// `tag`, then the tags of `rest`.
const fn before(tag: u8, rest: [u64; TAG_WORDS]) -> [u64; TAG_WORDS] {
    let mut tags = [0; TAG_WORDS];
    let mut carry = tag as u64;
    let mut word = 0;
    while word < TAG_WORDS {
        tags[word] = (rest[word] << 8) | carry;
        carry = rest[word] >> 56;
        word += 1;
    }
    tags
}

/// A record that is being written.
#[doc(hidden)]
pub struct Writer {
    ring: PrintRing,
    /// Where the record starts.
    start: u64,
    /// Where the next word goes.
    at: u64,
    sum: u64,
}

impl Writer {
    /// Reserves `bytes` bytes; `None` if the host does not read the ring, or if the whole ring is smaller.
    #[inline(always)]
    fn open(bytes: u64) -> Option<Writer> {
        let ring = ring();
        if ring.is_null() {
            return None;
        }
        // SAFETY: the host makes the ring before the module or the run starts and keeps it while they last; it changes `head` only by
        // atomic additions, and everything else while nothing runs.
        let head = unsafe { &raw mut (*ring).head };
        // SAFETY: as above.
        let head = unsafe { AtomicU64::from_ptr(head) };
        // SAFETY: as above; a place is read without a reference, because `head` changes meanwhile.
        let data = unsafe { (*ring).data };
        // SAFETY: as above.
        let mask = unsafe { (*ring).mask };
        // SAFETY: as above.
        let last = unsafe { (*ring).last };
        // SAFETY: as above.
        let key = unsafe { (*ring).key };
        let reserved = (bytes + ALIGN - 1) & !(ALIGN - 1);
        if reserved > mask {
            return None;
        }
        let start = head.fetch_add(reserved, Ordering::Relaxed);
        let ring = PrintRing {
            head: 0,
            data,
            mask,
            last,
            key,
        };
        let at = start + 8; // the first word comes last
        Some(Writer {
            ring,
            start,
            at,
            sum: key,
        })
    }

    /// Writes the next word.
    #[inline(always)]
    pub(crate) fn word(&mut self, word: u64) {
        store(self.ring.data + (self.at & self.ring.mask), word);
        self.sum = mix(self.sum, word);
        self.at += 8;
    }

    /// Writes a text: its length, then its bytes.
    #[inline(always)]
    pub(crate) fn text(&mut self, text: &str) {
        self.word(text.len() as u64);
        self.bytes(text);
    }

    /// Writes the bytes of a text, eight to a word.
    #[inline(always)]
    fn bytes(&mut self, text: &str) {
        let mut word = 0;
        let mut shift = 0;
        for byte in text.as_bytes() {
            word |= u64::from(*byte) << shift;
            shift += 8;
            if shift == 64 {
                self.word(word);
                (word, shift) = (0, 0);
            }
        }
        if shift > 0 {
            self.word(word);
        }
    }

    /// Makes the record valid, and says that it is there.
    #[inline(always)]
    fn close(self) {
        store(
            self.ring.data + (self.start & self.ring.mask),
            first_word(self.sum),
        );
        crate::intrinsics::fence_system();
        store(self.ring.last, self.at);
    }
}

/// Where this device's ring is described; null where there is none.
#[inline(always)]
fn ring() -> *mut PrintRing {
    #[cfg(warploom_device)]
    {
        unsafe extern "C" {
            #[link_name = "__warploom.print_ring"]
            safe fn ring() -> *mut PrintRing;
        }
        ring()
    }
    #[cfg(not(warploom_device))]
    warploom_emulator::intrinsics::print_ring().cast()
}

/// Writes one aligned word to where the host reads.
#[inline(always)]
fn store(address: u64, word: u64) {
    let at: *mut u64 = with_exposed_provenance_mut(address as usize);
    // SAFETY: `Writer` computes addresses within the ring, or that of its `last`; the host gave both, and reads them atomically.
    #[cfg(warploom_device)]
    unsafe {
        at.write_volatile(word);
    }
    // SAFETY: as above. Threads of the emulator write from several threads of the host, perhaps to one place: atomically.
    #[cfg(not(warploom_device))]
    unsafe {
        AtomicU64::from_ptr(at).store(word, Ordering::Relaxed);
    }
}
