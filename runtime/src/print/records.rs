//! Finds whole records in the ring; `warploom_device_std::print::record` says how they are made.

use std::sync::atomic::{AtomicU64, Ordering};

use warploom_device_std::print::record::{
    ALIGN, HEADER_BYTES, MAGIC, first_word, mix, sizes_of, tag,
};

use super::format::{self, Value};

/// A record that was neither half written nor half overwritten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    /// Counted over all records since the ring was made: the order in which threads came.
    pub(crate) position: u64,
    /// Address and length of the format string.
    pub(crate) format: (u64, u64),
    n_values: usize,
    /// Tags and values.
    words: Vec<u64>,
}

/// All whole records in `ring`, whose length is a power of two, in the order of their positions.
pub(crate) fn records(ring: &[AtomicU64]) -> Vec<Record> {
    let slots = (0..ring.len()).step_by((ALIGN / 8) as usize);
    let mut found: Vec<Record> = slots.filter_map(|slot| record_at(ring, slot)).collect();
    found.sort_unstable_by_key(|record| record.position);
    found
}

fn record_at(ring: &[AtomicU64], slot: usize) -> Option<Record> {
    let word = |i: usize| ring[(slot + i) & (ring.len() - 1)].load(Ordering::Relaxed);
    let first = word(0);
    if first & 0xffff_ffff != u64::from(MAGIC) {
        return None;
    }
    let position = word(1);
    let (format_len, n_values, bytes) = sizes_of(word(3));
    let here = (position / 8) & (ring.len() as u64 - 1) == slot as u64;
    if !here || bytes < HEADER_BYTES || bytes > 8 * ring.len() as u64 {
        return None;
    }
    let words: Vec<u64> = (1..(bytes / 8) as usize).map(word).collect();
    let sum = words.iter().fold(0, |sum, word| mix(sum, *word));
    (first_word(sum) == first).then(|| Record {
        position,
        format: (words[1], format_len),
        n_values,
        words: words[3..].to_vec(),
    })
}

impl Record {
    /// What the call prints. Without its format string: all values.
    pub(crate) fn text(&self, format: Option<&str>) -> String {
        let texts = self.texts();
        let values = self.values(&texts).unwrap_or_default();
        match format {
            Some(format) => format::text(format, &values),
            None => {
                let holes: Vec<String> = (0..values.len()).map(|i| format!("{{{i}:?}}")).collect();
                let format = format!("<the format string is lost> {}\n", holes.join(" "));
                format::text(&format, &values)
            }
        }
    }

    fn tags(&self) -> impl Iterator<Item = u8> {
        let bytes = self.words.iter().flat_map(|word| word.to_le_bytes());
        bytes.take(self.n_values)
    }

    /// Each value's tag and words.
    fn parts(&self) -> impl Iterator<Item = (u8, &[u64])> {
        let mut rest = self
            .words
            .get(self.n_values.div_ceil(8)..)
            .unwrap_or_default();
        self.tags().map_while(move |tag| {
            let n_words = match tag {
                tag::U128 | tag::I128 => 2,
                tag::STR => 1 + usize::try_from(*rest.first()?).ok()?.div_ceil(8),
                _ => 1,
            };
            let (words, behind) = rest.split_at_checked(n_words)?;
            rest = behind;
            Some((tag, words))
        })
    }

    /// The texts among the values, in order.
    fn texts(&self) -> Vec<String> {
        let texts = self.parts().filter(|(tag, _)| *tag == tag::STR);
        texts
            .map(|(_, words)| {
                let bytes = words[1..].iter().flat_map(|word| word.to_le_bytes());
                let len = usize::try_from(words[0]).unwrap_or(usize::MAX);
                String::from_utf8_lossy(&bytes.take(len).collect::<Vec<u8>>()).into_owned()
            })
            .collect()
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        reason = "a value was widened to a word, with its sign, and is narrowed again"
    )]
    fn values<'t>(&self, texts: &'t [String]) -> Option<Vec<Value<'t>>> {
        let mut texts = texts.iter();
        self.parts()
            .map(|(tag, words)| {
                let word = words[0];
                let wide = || u128::from(word) | u128::from(words[1]) << 64;
                Some(match tag {
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
                    tag::CHAR => Value::Char(char::from_u32(word as u32)?),
                    tag::STR => Value::Str(texts.next()?),
                    tag::POINTER => Value::Pointer(word),
                    _ => return None,
                })
            })
            .collect()
    }
}

#[cfg(test)]
#[path = "records_tests.rs"]
mod tests;
