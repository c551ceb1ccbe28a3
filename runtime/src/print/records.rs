//! Finds whole records in the ring; `warploom_device_std::print::record` says how they are made.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use warploom_device_std::print::record::{
    ALIGN, HEADER_BYTES, MAGIC, MOST_ARGUMENTS, first_word, mix, sizes_of, tag,
};

use super::format::{self, Value};

/// A record that was neither half written nor half overwritten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    /// Counted over all records since the ring was made: the order in which threads came.
    pub(crate) position: u64,
    format_bytes: u64,
    n_values: usize,
    /// Format string, tags and values.
    words: Vec<u64>,
}

/// Why a record has no text, although its checksum is right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "<a print record is malformed: {reason}; unsafe code of a kernel wrote to the print buffer, or `warploom-device-std` and `warploom-runtime` have different versions>"
)]
pub(crate) struct Malformed {
    reason: String,
}

fn malformed(reason: impl Into<String>) -> Malformed {
    let reason = reason.into();
    Malformed { reason }
}

/// All whole records in `ring`, whose length is a power of two, in the order of their positions. `key` is the ring's.
pub(crate) fn records(ring: &[AtomicU64], key: u64) -> Vec<Record> {
    let slots = (0..ring.len()).step_by((ALIGN / 8) as usize);
    let mut found: Vec<Record> = slots
        .filter_map(|slot| record_at(ring, key, slot))
        .collect();
    found.sort_unstable_by_key(|record| record.position);
    found
}

fn record_at(ring: &[AtomicU64], key: u64, slot: usize) -> Option<Record> {
    let word = |i: usize| ring[(slot + i) & (ring.len() - 1)].load(Ordering::Relaxed);
    let first = word(0);
    if first & 0xffff_ffff != u64::from(MAGIC) {
        return None;
    }
    let position = word(1);
    let (format_bytes, n_values, bytes) = sizes_of(word(2));
    let here = (position / 8) & (ring.len() as u64 - 1) == slot as u64;
    if !here || bytes < HEADER_BYTES || bytes > 8 * ring.len() as u64 {
        return None;
    }
    let words: Vec<u64> = (1..(bytes / 8) as usize).map(word).collect();
    let sum = words.iter().fold(key, |sum, word| mix(sum, *word));
    (first_word(sum) == first).then(|| Record {
        position,
        format_bytes,
        n_values,
        words: words[2..].to_vec(),
    })
}

impl Record {
    /// What the call prints.
    pub(crate) fn text(&self) -> Result<String, Malformed> {
        let mut words = Words(&self.words);
        let format = words.text("its format string", self.format_bytes)?;
        let format = String::from_utf8(format)
            .map_err(|_| malformed("its format string is not UTF-8, which all of Rust's are"))?;
        if self.n_values > MOST_ARGUMENTS {
            return Err(malformed(format!(
                "it has {} values, and a call at most {MOST_ARGUMENTS}",
                self.n_values
            )));
        }
        let tags = words.take("its tags", self.n_values.div_ceil(8) as u64)?;
        let tags = tags.iter().flat_map(|word| word.to_le_bytes());
        let parts: Vec<Part> = tags
            .take(self.n_values)
            .enumerate()
            .map(|(number, tag)| words.part(number, tag))
            .collect::<Result<_, _>>()?;
        if !words.0.is_empty() {
            let surplus = words.0.len();
            return Err(malformed(format!("{surplus} words follow its last value")));
        }
        let values: Vec<Value<'_>> = parts.iter().map(Part::value).collect();
        Ok(format::text(&format, &values))
    }
}

/// A value of a record.
enum Part {
    Plain(Value<'static>),
    Text(String),
}

impl Part {
    fn value(&self) -> Value<'_> {
        match self {
            Part::Plain(value) => *value,
            Part::Text(text) => Value::Str(text),
        }
    }
}

/// The words of a record that were not read yet.
struct Words<'r>(&'r [u64]);

impl<'r> Words<'r> {
    /// The next `n` words, which are those of `what`.
    fn take(&mut self, what: impl fmt::Display, n: u64) -> Result<&'r [u64], Malformed> {
        let left = self.0.len();
        let split = usize::try_from(n)
            .ok()
            .and_then(|n| self.0.split_at_checked(n));
        let (words, rest) = split.ok_or_else(|| {
            malformed(format!("{what} would take {n} words, and {left} are left"))
        })?;
        self.0 = rest;
        Ok(words)
    }

    /// The next `len` bytes.
    fn text(&mut self, what: impl fmt::Display, len: u64) -> Result<Vec<u8>, Malformed> {
        let words = self.take(what, len.div_ceil(8))?;
        let bytes = words.iter().flat_map(|word| word.to_le_bytes());
        // As many fit in the words.
        Ok(bytes
            .take(usize::try_from(len).unwrap_or(usize::MAX))
            .collect())
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        reason = "a value was widened to a word, with its sign, and is narrowed again"
    )]
    fn part(&mut self, number: usize, tag: u8) -> Result<Part, Malformed> {
        let what = format_args!("value {number}");
        let n = match tag {
            tag::U128 | tag::I128 => 2,
            _ => 1,
        };
        let words = self.take(what, n)?;
        let word = words[0];
        let wide = || u128::from(word) | u128::from(words[1]) << 64;
        Ok(Part::Plain(match tag {
            tag::U8 => Value::U8(word as u8),
            tag::U16 => Value::U16(word as u16),
            tag::U32 => Value::U32(word as u32),
            tag::U64 => Value::U64(word),
            tag::U128 => Value::U128(wide()),
            tag::I8 => Value::I8(word as i8),
            tag::I16 => Value::I16(word as i16),
            tag::I32 => Value::I32(word as i32),
            tag::I64 => Value::I64(word as i64),
            tag::I128 => Value::I128(wide() as i128),
            tag::F32 => Value::F32(f32::from_bits(word as u32)),
            tag::F64 => Value::F64(f64::from_bits(word)),
            tag::BOOL => Value::Bool(word != 0),
            tag::CHAR => {
                let char = u32::try_from(word).ok().and_then(char::from_u32);
                Value::Char(char.ok_or_else(|| {
                    malformed(format!("value {number} is a `char`, and {word:#x} is none"))
                })?)
            }
            tag::STR => {
                let bytes = self.text(format_args!("the text of value {number}"), word)?;
                return Ok(Part::Text(String::from_utf8_lossy(&bytes).into_owned()));
            }
            tag::POINTER => Value::Pointer(word),
            _ => {
                let most = tag::POINTER;
                return Err(malformed(format!(
                    "value {number} has the tag {tag}, and tags are 1 to {most}"
                )));
            }
        }))
    }
}

#[cfg(test)]
#[path = "records_tests.rs"]
mod tests;
