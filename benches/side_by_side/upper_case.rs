//! Bytes: letters to upper case, and how many were changed.
//!
//! Four bytes of a word at once: byte by byte it is ten integer instructions each, and the units for integers, not memory, are the limit.

use core::sync::atomic::Ordering::Relaxed;

use warploom::device_std::vector::UInt4;
use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Bound, Traffic, Twin};

use super::data::mixed;
use super::session::{BenchError, Session};
use super::sides::{Call, Reference, Sides, arguments, run};
use super::{BYTES, Run};

/// Two loads of sixteen bytes are under way in each round.
#[kernel(block(256))]
fn upper_case(
    i: Index1D,
    block: Block,
    text: &[UInt4],
    mut out: DisjointSlice<UInt4, GridStride>,
    mut changed: DisjointSlice<u32, PerBlock>,
) {
    let mut count = 0;
    let mut own = out.iter_mut(i);
    while let Some((at, first)) = own.next() {
        let second = own.next();
        let a = text[at];
        let b = second.as_ref().map_or(UInt4::splat(0), |(at, _)| text[*at]);
        let mut upper = |four: UInt4| {
            UInt4::from(four.to_array().map(|word| {
                let lower = lower_case(word);
                count += lower.count_ones();
                word ^ lower >> 2
            }))
        };
        let (a, b) = (upper(a), upper(b));
        *first = a;
        if let Some((_, second)) = second {
            *second = b;
        }
    }
    let total = shared_array!(u32, 1);
    if block.thread() == 0 {
        total.atomic(0).store(0, Relaxed);
    }
    block.sync();
    total.atomic(0).fetch_add(count, Relaxed);
    block.sync();
    if let Some(leader) = block.leader()
        && let Some(changed) = changed.get_mut(leader)
    {
        *changed = total.atomic(0).load(Relaxed);
    }
}

/// The highest bit of each byte that is a letter of lower case. A letter differs from its capital by that bit, shifted by two.
fn lower_case(word: u32) -> u32 {
    /// What takes the lower seven bits of a byte over 127: from `a` on, and from behind `z` on.
    const FROM_A: u32 = 0x0101_0101 * (0x80 - b'a' as u32);
    const BEHIND_Z: u32 = 0x0101_0101 * (0x7f - b'z' as u32);
    let seven = word & 0x7f7f_7f7f;
    ((seven + FROM_A) ^ (seven + BEHIND_Z)) & !word & 0x8080_8080
}

/// Byte number `i`, printable.
fn byte(i: usize) -> u8 {
    (32 + mixed(i, 1) % 95) as u8
}

/// Four bytes from number `first` on.
fn word(first: usize) -> u32 {
    u32::from_le_bytes([0, 1, 2, 3].map(|k| byte(first + k)))
}

#[kernel]
fn fill_text(i: Index1D, mut text: DisjointSlice<UInt4>) {
    if let Some(text) = text.get_mut(i) {
        *text = [0, 4, 8, 12].map(|k| word(16 * i.get() + k)).into();
    }
}

/// Iterations of each thread: blocks that end early make room for others; with only as many blocks as fit at once, all would wait for the slowest.
const ROUNDS: usize = 4;

pub(crate) struct UpperCase {
    text: DeviceBuffer<UInt4>,
    out: DeviceBuffer<UInt4>,
    changed: DeviceBuffer<u32>,
    /// Lower-case letters of the whole text.
    letters: u32,
}

impl Sides for UpperCase {
    const BENCHMARK: Benchmark<Run> = Benchmark {
        name: "upper_case",
        group: BYTES,
        twin: Twin::cuda("upper_case"),
        unit: "bytes",
        sizes: &[1 << 30],
        small: 96_000,
        traffic: |n| Traffic::Bytes(2 * n),
        bound: Bound::Bandwidth,
        prediction: "1.00, and 0.95 or more of a copy: the same loads and stores of 16 bytes, two of each under way",
        run: run::<Self>,
    };
    type Value = u32;

    fn new(session: &Session, size: u64) -> Result<Self, BenchError> {
        let n = size as usize;
        let mut text = session.device.alloc_uninit(n / 16)?;
        fill_text::launch(&session.stream, Launch::covering(n / 16), &mut text)?;
        let letters = (0..n).filter(|&i| byte(i).is_ascii_lowercase()).count();
        Ok(Self {
            text,
            out: session.device.alloc_uninit(n / 16)?,
            changed: session
                .device
                .alloc_uninit((n / 16).div_ceil(2 * 256 * ROUNDS))?,
            letters: letters as u32,
        })
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        self.out.fill(UInt4::splat(0), stream)?;
        Ok(self.changed.fill(u32::MAX, stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let shape = Launch::new(self.changed.len() as u32, 256);
        Ok(upper_case::launch(
            stream,
            shape,
            &self.text,
            &mut self.out,
            &mut self.changed,
        )?)
    }

    fn twin(&self) -> Vec<Call> {
        let n = self.out.len() as u64;
        let arguments = arguments![&self.text, &self.out, n, &self.changed];
        // SAFETY: the twin takes two pointers to `n` times 16 bytes, `n`, and room for a count per block.
        vec![unsafe { Call::new("upper_case", self.changed.len() as u32, 256, arguments) }]
    }

    /// How many bytes were changed, then the text in words of four bytes.
    fn result(&self, stream: &Stream) -> Result<Vec<u32>, BenchError> {
        let changed = self.changed.to_vec(stream)?;
        let mut result = vec![changed.iter().fold(0, |sum, n| n.wrapping_add(sum))];
        result.extend(
            self.out
                .to_vec(stream)?
                .into_iter()
                .flat_map(UInt4::to_array),
        );
        Ok(result)
    }

    fn reference(&self, i: usize) -> Reference {
        let Some(word) = i.checked_sub(1) else {
            return Reference::of(f64::from(self.letters));
        };
        let bytes = [0, 1, 2, 3].map(|k| byte(4 * word + k).to_ascii_uppercase());
        Reference::of(f64::from(u32::from_le_bytes(bytes)))
    }
}
