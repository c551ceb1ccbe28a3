//! Products of warp groups that are under way: what they read, and whether the four warps of a group begin the same ones.

use std::collections::VecDeque;

use super::Block;
use crate::engine::warp::LANES;

/// Warps of a group.
const WARPS: usize = 4;

/// What the products read that a thread has begun: closed groups of them, oldest first, and those that belong to no group yet.
#[derive(Debug, Default)]
pub(super) struct Reads {
    groups: VecDeque<Vec<*const u8>>,
    open: Vec<*const u8>,
}

/// The products that a group of warps began: those that not all its warps have begun.
#[derive(Debug, Default)]
pub(super) struct Sequence {
    /// Which they are.
    products: VecDeque<u64>,
    /// How many of the first were forgotten.
    forgotten: usize,
    /// How many each warp began.
    begun: [usize; WARPS],
}

impl Block {
    /// `thread` lets a product read its shared memory at these addresses.
    pub(crate) fn begin_reads(&mut self, thread: u32, addresses: &[*const u8]) {
        let n_threads = self.n_threads as usize;
        if self.product_reads.is_empty() {
            self.product_reads.resize_with(n_threads, Reads::default);
        }
        self.product_reads[thread as usize].open.extend(addresses);
    }

    /// `thread` makes a group of the products that it has begun since the last one.
    pub(crate) fn close_products(&mut self, thread: u32) {
        if let Some(reads) = self.product_reads.get_mut(thread as usize) {
            let group = std::mem::take(&mut reads.open);
            reads.groups.push_back(group);
        }
    }

    /// What the groups of products of `thread` have read that are no longer under way when at most the latest `pending` are.
    pub(crate) fn end_products(&mut self, thread: u32, pending: usize) -> Vec<*const u8> {
        let Some(reads) = self.product_reads.get_mut(thread as usize) else {
            return Vec::new();
        };
        let ended = reads.groups.len().saturating_sub(pending);
        reads.groups.drain(..ended).flatten().collect()
    }

    /// The warp of `thread` begins a product, which `operands` stands for; whether the other warps of the group that have begun as many began the same.
    pub(crate) fn begin_product(&mut self, thread: u32, operands: u64) -> bool {
        let warp = (thread / LANES) as usize;
        let n_groups = self.warps.len().div_ceil(WARPS);
        if self.products.is_empty() {
            self.products.resize_with(n_groups, Sequence::default);
        }
        let sequence = &mut self.products[warp / WARPS];
        let begun = &mut sequence.begun[warp % WARPS];
        let number = *begun - sequence.forgotten;
        *begun += 1;
        let is_same = match sequence.products.get(number) {
            Some(known) => *known == operands,
            None => {
                sequence.products.push_back(operands);
                true
            }
        };
        let least = sequence.begun.iter().min().copied().unwrap_or(0);
        sequence.products.drain(..least - sequence.forgotten);
        sequence.forgotten = least;
        is_same
    }

    /// Forgets the products of the block before.
    pub(super) fn forget_products(&mut self) {
        self.product_reads.clear();
        self.products.clear();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::engine::block::{Block, PickBy};

    fn block() -> Block {
        Block::new(
            256,
            PickBy::Schedule(crate::options::Schedule::Forward),
            None,
        )
    }

    #[test]
    fn warps_of_a_group_begin_the_same_products() {
        let mut block = block();
        for product in [7, 8] {
            assert!(block.begin_product(0, product));
        }
        for warp in 1..4 {
            assert!(block.begin_product(warp * 32, 7));
        }
        assert!(!block.begin_product(64, 9), "the second one is 8");
        assert!(block.begin_product(128, 9), "another group");
    }

    #[test]
    fn reads_end_group_by_group() {
        let mut block = block();
        let at = |address: usize| std::ptr::without_provenance::<u8>(address);
        for group in 1..=3 {
            block.begin_reads(5, &[at(group * 16)]);
            block.close_products(5);
        }
        assert_eq!(block.end_products(5, 1), [at(16), at(32)]);
        assert_eq!(block.end_products(5, 0), [at(48)]);
        assert_eq!(block.end_products(6, 0), []);
    }
}
