//! What the kernel is told, and which queries a block has.

use warploom::prelude::*;

/// Distances of a buffer, in elements.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, KernelArg)]
pub(crate) struct Strides {
    /// From one token to the next.
    pub token: u64,
    /// From one head to the next.
    pub head: u64,
    /// From one batch to the next.
    pub batch: u64,
}

/// Attention as the kernel sees it.
#[repr(C)]
#[derive(Clone, Copy, Debug, KernelArg)]
pub(crate) struct Problem {
    /// Of the queries.
    pub q: Strides,
    /// Of the keys.
    pub k: Strides,
    /// Of the values.
    pub v: Strides,
    /// Of the results.
    pub out: Strides,
    /// Queries of a batch: of all its sequences, if they are packed.
    pub queries: u32,
    /// Keys of a batch, if sequences are not packed.
    pub keys: u32,
    /// Heads of the queries.
    pub heads: u32,
    /// Heads of the queries for each head of keys and values.
    pub share: u32,
    /// Heads of all batches.
    pub pairs: u32,
    /// Blocks of a head, if sequences are not packed.
    pub tiles: u32,
    /// Heads that are done together, so that blocks that run at the same time share keys and values in the second cache.
    pub group: u32,
    /// Whether a query sees only keys up to its own place, both counted from the end.
    pub causal: u32,
    /// Whether sequences are packed, and `items` says what blocks do.
    pub packed: u32,
    /// Whether logarithms of sums are stored.
    pub log_sums: u32,
    /// What scores are multiplied with, times log2(e).
    pub scale: f32,
    /// No meaning: there are no bytes of padding.
    pub unused: u32,
}

/// What a block does.
#[derive(Clone, Copy)]
pub(crate) struct Work {
    pub(crate) batch: u32,
    pub(crate) head: u32,
    /// The head of keys and values.
    kv_head: u32,
    /// The first query, in its batch.
    pub(crate) first_row: u32,
    /// Queries from the first to the last of the sequence.
    pub(crate) rows_left: u32,
    /// The first key of the sequence, in its batch.
    first_key: u32,
    /// Keys of the sequence.
    pub(crate) keys: u32,
    /// Keys that the query before the first sees, if these are not too many: as many as `keys` for all queries without `causal`.
    before: i32,
}

impl Problem {
    /// What block `x` does, with `rows` queries. Of each sequence, those with the most keys come first.
    #[inline(always)]
    pub(crate) fn work(&self, x: u32, rows: u32, items: &[[u32; 4]]) -> Work {
        // Numbers of at least 1 are told to be that: without a division by zero there is no panic in the kernel.
        let (heads, share) = (self.heads.max(1), self.share.max(1));
        let (pair, [first_row, rows_left, first_key, keys]) = if self.packed != 0 {
            // SAFETY: there are `heads` blocks for each item.
            let item = unsafe { *items.get_unchecked((x / heads) as usize) };
            (x % heads, item)
        } else {
            let in_group = (self.group * self.tiles).max(1);
            let first = x / in_group * self.group;
            let (width, within) = (self.group.min(self.pairs - first).max(1), x % in_group);
            let first_row = (self.tiles - 1 - within / width) * rows;
            (
                first + within % width,
                [first_row, self.queries - first_row, 0, self.keys],
            )
        };
        let (batch, head) = (pair / heads, pair % heads);
        let before = if self.causal != 0 {
            keys as i32 - rows_left as i32
        } else {
            keys as i32
        };
        Work {
            batch,
            head,
            kv_head: head / share,
            first_row,
            rows_left,
            first_key,
            keys,
            before,
        }
    }
}

impl Work {
    /// The element of the first query.
    #[inline(always)]
    pub(crate) fn q_at(&self, strides: &Strides) -> usize {
        at(strides, self.batch, self.head, self.first_row)
    }

    /// The element of the first key or value.
    #[inline(always)]
    pub(crate) fn kv_at(&self, strides: &Strides) -> usize {
        at(strides, self.batch, self.kv_head, self.first_key)
    }

    /// The first key, in its batch, and the head of keys and values.
    #[inline(always)]
    pub(crate) fn keys_at(&self) -> (i32, i32) {
        (self.first_key as i32, self.kv_head as i32)
    }

    /// The element of the first query among the logarithms.
    #[inline(always)]
    pub(crate) fn log_at(&self, problem: &Problem) -> usize {
        let head = self.batch as usize * problem.heads as usize + self.head as usize;
        head * problem.queries as usize + self.first_row as usize
    }

    /// How many keys query `line` of the block sees.
    #[inline(always)]
    pub(crate) fn bound(&self, line: i32) -> i32 {
        (self.before + line + 1).min(self.keys as i32).max(0)
    }

    /// How many tiles of `tile` keys the `rows` queries of the block see.
    #[inline(always)]
    pub(crate) fn tiles(&self, rows: u32, tile: u32) -> u32 {
        (self.bound(rows.min(self.rows_left) as i32 - 1) as u32).div_ceil(tile)
    }
}

#[inline(always)]
fn at(strides: &Strides, batch: u32, head: u32, token: u32) -> usize {
    (u64::from(batch) * strides.batch
        + u64::from(head) * strides.head
        + u64::from(token) * strides.token) as usize
}
