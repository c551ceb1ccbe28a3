//! The tuner of sorts by digits. Of each row of the table in `libraries/algorithms/src/tuning/sort.rs` there are candidates, each with kernels of its own. All sort the
//! same elements, with the same result; the fastest one becomes the row.

use std::error::Error;
use std::fs;
use std::path::Path;

use warploom::prelude::*;
use warploom_algorithms::RadixKey;
use warploom_algorithms::prelude::*;
use warploom_harness::date;

use super::data::{Entropy, elements};
use super::rows::Size;
use super::session::Session;

/// Bytes of the keys that are sorted on a GPU: more than its cache has.
const BYTES: usize = 256 << 20;
/// Keys on the emulator: several tiles, and a part of one.
const FEW: usize = 40_011;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// A row of the table.
struct Row {
    /// Bytes of key and value, as the table has them.
    sizes: &'static str,
    /// Times all candidates.
    times: fn(&Session) -> Outcome<Vec<Candidate>>,
}

/// A way to compile the kernels.
struct Candidate {
    /// Of a thread.
    items: usize,
    /// Of a multiprocessor.
    blocks: usize,
    /// Milliseconds of a sort; 0 on the emulator.
    ms: f64,
}

macro_rules! rows {
    ($($sizes:literal, $of:ty: $(($items:literal, $blocks:literal))*;)*) => {
        &[$(Row {
            sizes: $sizes,
            times: |session| {
                let mut sort = <$of>::new(session)?;
                Ok(vec![$(Candidate {
                    items: $items,
                    blocks: $blocks,
                    ms: sort.time::<$items, $blocks>(session)?,
                }),*])
            },
        }),*]
    };
}

/// In the table's order. Types stand for all of their sizes.
const ROWS: &[Row] = rows! {
    "(0..=4, 0)", Keys<u32>: (23, 2) (19, 3) (21, 3) (22, 3) (23, 3) (25, 3) (27, 3);
    "(5..=8, 0)", Keys<u64>: (15, 2) (12, 3) (13, 3) (14, 3) (15, 3);
    "(9.., 0)", Keys<u128>: (5, 2) (7, 2) (5, 3) (6, 3) (7, 3);
    "(0..=4, 1..=4)", Pairs<u32, u32>: (20, 2) (23, 2) (25, 2) (26, 2) (28, 2) (30, 2) (16, 3) (19, 3);
    "(0..=4, 5..=8)", Pairs<u32, u64>: (11, 2) (13, 2) (15, 2) (11, 3) (13, 3);
    "(5..=8, 1..=8)", Pairs<u64, u64>: (11, 2) (13, 2) (15, 2) (11, 3) (13, 3);
    "(9.., 1..=8)", Pairs<u128, u64>: (5, 2) (7, 2) (5, 3) (7, 3);
    "(0..=4, 9..)", Pairs<u32, [u32; 4]>: (11, 2) (16, 2) (19, 2) (16, 3);
    "(5.., 9..)", Pairs<u64, [u32; 4]>: (5, 2) (7, 2) (5, 3);
};

/// Times all candidates and writes the table of the fastest; on the emulator, it only compares their results.
pub(crate) fn tune(session: &Session, table: &Path) -> Outcome<()> {
    // What goes back to the pool stays there, as in `Bench::new`.
    session.device.pool()?.set_release_threshold(u64::MAX)?;
    let mut lines = String::new();
    for Row { sizes, times } in ROWS {
        let candidates = times(session)?;
        for Candidate { items, blocks, ms } in &candidates {
            println!("bytes {sizes}: {items} items, {blocks} blocks: {ms:.4} ms");
        }
        let fastest = candidates.iter().min_by(|a, b| a.ms.total_cmp(&b.ms));
        if let Some(Candidate { items, blocks, .. }) = fastest {
            lines += &format!("            {sizes} => ({items}, {blocks});\n");
        }
    }
    if session.gpu.is_none() {
        println!("all candidates sort alike; times need a GPU, and no table is written");
        return Ok(());
    }
    let text = format!(
        "// Written by the benchmark of the algorithms, `--tune`, on {} on {}.\n\
         macro_rules! sort_tunings {{\n    \
         ($with:ident! {{ $($arguments:tt)* }}) => {{\n        \
         $with! {{ $($arguments)*\n{lines}        }}\n    }};\n}}\npub(crate) use sort_tunings;\n",
        session.device.name(),
        date::today(),
    );
    fs::write(table, &text)?;
    println!("{text}wrote {}", table.display());
    Ok(())
}

/// A type of keys or values, from two words.
trait FromWords: Plain + PartialEq {
    fn from_words(words: [u64; 2]) -> Self;
}

impl FromWords for u32 {
    fn from_words([word, _]: [u64; 2]) -> Self {
        word as u32
    }
}

impl FromWords for u64 {
    fn from_words([word, _]: [u64; 2]) -> Self {
        word
    }
}

impl FromWords for u128 {
    fn from_words([low, high]: [u64; 2]) -> Self {
        u128::from(high) << 64 | u128::from(low)
    }
}

impl FromWords for [u32; 4] {
    fn from_words([low, high]: [u64; 2]) -> Self {
        [
            low as u32,
            (low >> 32) as u32,
            high as u32,
            (high >> 32) as u32,
        ]
    }
}

/// Random elements in device memory.
fn input<T: FromWords>(session: &Session, n: usize, seed: u64) -> Outcome<DeviceBuffer<T>> {
    let size = Size {
        n,
        entropy: Entropy::Full,
    };
    let words = |seed| elements::<u64>(size, seed);
    let both = words(seed).into_iter().zip(words(seed + 1));
    let all: Vec<T> = both.map(|(a, b)| T::from_words([a, b])).collect();
    Ok(session.device.upload(&all)?)
}

/// Sorts of keys.
struct Keys<K: RadixKey> {
    x: DeviceBuffer<K>,
    y: DeviceBuffer<K>,
    /// What the kernels of the present table give.
    sorted: Vec<K>,
}

impl<K: RadixKey + FromWords> Keys<K> {
    fn new(session: &Session) -> Outcome<Self> {
        let (n, stream) = (len::<K>(session), &session.stream);
        let x = input::<K>(session, n, 0)?;
        let mut y = session.device.alloc_uninit(n)?;
        stream.sort(&x).into(&mut y)?;
        let sorted = y.to_vec(stream)?;
        Ok(Keys { x, y, sorted })
    }

    fn time<const ITEMS: usize, const BLOCKS: usize>(&mut self, session: &Session) -> Outcome<f64> {
        let (stream, x, y) = (&session.stream, &self.x, &mut self.y);
        y.fill(K::from_words([0; 2]), stream)?;
        let ms = median(session, || {
            Ok(stream.sort(x).into_tuned::<ITEMS, BLOCKS>(&mut *y)?)
        })?;
        alike(&y.to_vec(stream)?, &self.sorted)?;
        Ok(ms)
    }
}

/// Sorts of keys with values.
struct Pairs<K: RadixKey, V: Plain> {
    x: (DeviceBuffer<K>, DeviceBuffer<V>),
    y: (DeviceBuffer<K>, DeviceBuffer<V>),
    sorted: (Vec<K>, Vec<V>),
}

impl<K: RadixKey + FromWords, V: FromWords> Pairs<K, V> {
    fn new(session: &Session) -> Outcome<Self> {
        let (n, stream) = (len::<(K, V)>(session), &session.stream);
        let x = (input::<K>(session, n, 0)?, input::<V>(session, n, 2)?);
        let device = &session.device;
        let mut y = (device.alloc_uninit(n)?, device.alloc_uninit(n)?);
        stream.sort_pairs(&x.0, &x.1).into(&mut y.0, &mut y.1)?;
        let sorted = (y.0.to_vec(stream)?, y.1.to_vec(stream)?);
        Ok(Pairs { x, y, sorted })
    }

    fn time<const ITEMS: usize, const BLOCKS: usize>(&mut self, session: &Session) -> Outcome<f64> {
        let (stream, x, y) = (&session.stream, &self.x, &mut self.y);
        y.0.fill(K::from_words([0; 2]), stream)?;
        y.1.fill(V::from_words([0; 2]), stream)?;
        let ms = median(session, || {
            let sort = stream.sort_pairs(&x.0, &x.1);
            Ok(sort.into_tuned::<ITEMS, BLOCKS>(&mut y.0, &mut y.1)?)
        })?;
        alike(&y.0.to_vec(stream)?, &self.sorted.0)?;
        alike(&y.1.to_vec(stream)?, &self.sorted.1)?;
        Ok(ms)
    }
}

fn len<T>(session: &Session) -> usize {
    match session.gpu {
        Some(_) => BYTES / size_of::<T>(),
        None => FEW,
    }
}

fn alike<T: PartialEq>(found: &[T], expected: &[T]) -> Outcome<()> {
    match found.iter().zip(expected).position(|(a, b)| a != b) {
        Some(i) => Err(format!("element {i} is not what the table's kernels give").into()),
        None => Ok(()),
    }
}

/// The median of the times of `sort`, after some runs that do not count; one run without a time on the emulator.
fn median(session: &Session, mut sort: impl FnMut() -> Outcome<()>) -> Outcome<f64> {
    if session.gpu.is_none() {
        sort()?;
        return Ok(0.0);
    }
    let (start, end) = (session.device.event()?, session.device.event()?);
    let mut times = Vec::new();
    for run in 0..session.repetitions.warm_up + session.repetitions.measured {
        session.stream.record(&start)?;
        sort()?;
        session.stream.record(&end)?;
        let ms = start.elapsed_ms(&end)?;
        if run >= session.repetitions.warm_up {
            times.push(ms);
        }
    }
    times.sort_by(f64::total_cmp);
    let middle = times.get(times.len() / 2).copied();
    Ok(middle.ok_or("no times: `--runs` must be at least 1")?)
}
