//! Bytes: letters to upper case, and how many were changed.

use core::sync::atomic::Ordering::Relaxed;

use warploom::prelude::*;
use warploom_harness::benchmark::{Benchmark, Bound, Traffic, Twin};

use super::data::mixed;
use super::session::{BenchError, Session};
use super::sides::{Call, Reference, Sides, arguments, run};
use super::{BYTES, Run};

/// Sixteen bytes that are loaded together.
#[derive(Clone, Copy, Debug, Default, Plain)]
#[repr(C, align(16))]
struct Bytes([u8; 16]);

#[kernel(block(256))]
fn upper_case(
    i: Index1D,
    block: Block,
    text: &[Bytes],
    mut out: DisjointSlice<Bytes, GridStride>,
    mut changed: DisjointSlice<u32, PerBlock>,
) {
    let mut count = 0;
    for (at, out) in out.iter_mut(i) {
        let Bytes(mut bytes) = text[at];
        for byte in &mut bytes {
            count += u32::from(byte.is_ascii_lowercase());
            byte.make_ascii_uppercase();
        }
        *out = Bytes(bytes);
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

/// Byte number `i`, printable.
fn byte(i: usize) -> u8 {
    (32 + mixed(i, 1) % 95) as u8
}

#[kernel]
fn fill_text(i: Index1D, mut text: DisjointSlice<Bytes>) {
    if let Some(text) = text.get_mut(i) {
        let first = 16 * i.get();
        for (k, to) in text.0.iter_mut().enumerate() {
            *to = byte(first + k);
        }
    }
}

/// Eight blocks for each of the H200's 132 multiprocessors.
const BLOCKS: u32 = 8 * 132;

pub(crate) struct UpperCase {
    text: DeviceBuffer<Bytes>,
    out: DeviceBuffer<Bytes>,
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
        sizes: &[1 << 29],
        small: 6400,
        traffic: |n| Traffic::Bytes(2 * n),
        bound: Bound::Bandwidth,
        prediction: "1.00: the same loads and stores of 16 bytes, and some instructions fewer per byte",
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
            changed: session.device.alloc_uninit(BLOCKS as usize)?,
            letters: letters as u32,
        })
    }

    fn reset(&mut self, stream: &Stream) -> Result<(), BenchError> {
        self.out.fill(Bytes::default(), stream)?;
        Ok(self.changed.fill(u32::MAX, stream)?)
    }

    fn ours(&mut self, stream: &Stream) -> Result<(), BenchError> {
        let shape = Launch::new(BLOCKS, 256);
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
        vec![unsafe { Call::new("upper_case", BLOCKS, 256, arguments) }]
    }

    /// How many bytes were changed, then the text in words of four bytes.
    fn result(&self, stream: &Stream) -> Result<Vec<u32>, BenchError> {
        let changed = self.changed.to_vec(stream)?;
        let mut result = vec![changed.iter().fold(0, |sum, n| n.wrapping_add(sum))];
        for Bytes(bytes) in self.out.to_vec(stream)? {
            let words = bytes.as_chunks().0.iter();
            result.extend(words.map(|&word| u32::from_le_bytes(word)));
        }
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
