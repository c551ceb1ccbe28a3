//! Packed sequences: checked on the host, and dealt out to blocks.

use super::heads::HeadExtents;
use crate::Error;

/// That starts rise, begin and end within the tokens, and are as many for queries as for keys.
pub(super) fn check(
    [queries, keys]: [&[u32]; 2],
    (q, k): (HeadExtents, HeadExtents),
) -> Result<(), Error> {
    if queries.len() != keys.len() {
        return Err(Error::DifferentSizes {
            first: "the number of starts of queries",
            first_size: queries.len(),
            second: "the number of starts of keys",
            second_size: keys.len(),
        });
    }
    if q.batches != 1 {
        return Err(Error::DifferentSizes {
            first: "the number of batches",
            first_size: q.batches,
            second: "that of packed sequences",
            second_size: 1,
        });
    }
    for (what, starts, tokens) in [("queries", queries, q.tokens), ("keys", keys, k.tokens)] {
        let refused = |index: usize, least: usize, most: usize| Error::Sequences {
            what,
            index,
            given: starts.get(index).map_or(0, |&start| start as usize),
            least,
            most,
        };
        if starts.is_empty() {
            return Err(refused(0, 0, tokens));
        }
        let mut before = 0;
        for (index, &start) in starts.iter().enumerate() {
            let start = start as usize;
            if start < before || start > tokens {
                return Err(refused(index, before, tokens));
            }
            before = start;
        }
    }
    Ok(())
}

/// What each block of `rows` queries does: its first query, queries from there to the end of the sequence, the first key and the number of keys. Blocks with many keys
/// come first.
pub(super) fn items(queries: &[u32], keys: &[u32], rows: u32) -> Vec<[u32; 4]> {
    let mut items = Vec::new();
    for (queries, keys) in queries.windows(2).zip(keys.windows(2)) {
        let (&[first, end], &[first_key, end_key]) = (queries, keys) else {
            continue;
        };
        let mut row = first;
        while row < end {
            items.push([row, end - row, first_key, end_key - first_key]);
            row = end.min(row.saturating_add(rows));
        }
    }
    // With or without `causal`: of the keys, at most `keys - rows_left + rows` are seen by a block.
    items.sort_by_key(|&[_, rows_left, _, keys]| {
        std::cmp::Reverse((keys.saturating_sub(rows_left), keys))
    });
    items
}
