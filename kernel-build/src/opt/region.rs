//! A part of a function that control enters through one block, a copy of it, and what can be computed before it.
//!
//! The copy shares with the original what is computed before it, and where it leads to.

use super::gather_batching::is_speculatable;
use super::loops::Graph;
use crate::hash::{HashMap, HashSet};
use crate::llvm::{Block, Builder, Op, Value};

/// The blocks that one block, their head, dominates.
pub(super) struct Region<'ctx> {
    blocks: Vec<Block<'ctx>>,
}

impl<'ctx> Region<'ctx> {
    /// The head is a block by its number.
    pub(super) fn of(graph: &Graph<'ctx>, head: usize) -> Region<'ctx> {
        let inside = (0..graph.blocks.len()).filter(|at| graph.dominates(head, *at));
        let mut inside: Vec<usize> = inside.collect();
        inside.sort_by_key(|at| *at != head);
        Region {
            blocks: inside.into_iter().map(|at| graph.blocks[at]).collect(),
        }
    }

    pub(super) fn blocks(&self) -> &[Block<'ctx>] {
        &self.blocks
    }

    pub(super) fn instructions(&self) -> impl Iterator<Item = Value<'ctx>> {
        self.blocks.iter().flat_map(|block| block.instructions())
    }

    /// Copies the region behind the other blocks of its function, as it is now; returns the copy of the head. The head has no phis, and the caller makes
    /// the way to the copy.
    pub(super) fn copy(&self, function: Value<'ctx>) -> Block<'ctx> {
        let fresh = self.blocks.iter().map(|b| (*b, Block::new_last(function)));
        let blocks: HashMap<Block<'ctx>, Block<'ctx>> = fresh.collect();
        let copied = |block: Block<'ctx>| blocks.get(&block).copied().unwrap_or(block);
        let mut values = HashMap::default();
        for block in &self.blocks {
            let end = Builder::at_end(copied(*block));
            for instruction in block.instructions() {
                let copy = match instruction.op() {
                    Op::Phi => end.phi(instruction.ty()),
                    _ => end.copy(instruction, |operand| operand),
                };
                values.insert(instruction, copy);
            }
            copied(*block).redirect(copied);
        }
        let value = |old: Value<'ctx>| values.get(&old).copied().unwrap_or(old);
        for block in &self.blocks {
            for instruction in block.instructions() {
                let copy = value(instruction);
                if instruction.op() == Op::Phi {
                    let inside = instruction.incoming().into_iter();
                    for (old, from) in inside.filter(|(_, from)| blocks.contains_key(from)) {
                        copy.add_incoming(value(old), copied(from));
                    }
                } else {
                    for (index, old) in (0..).zip(instruction.operands()) {
                        if values.contains_key(&old) {
                            copy.set_operand(index, value(old));
                        }
                    }
                }
            }
        }
        for outside in self.exits() {
            for phi in outside.phis() {
                for (old, from) in phi.incoming() {
                    if blocks.contains_key(&from) {
                        phi.add_incoming(value(old), copied(from));
                    }
                }
            }
        }
        copied(self.blocks[0])
    }

    /// The blocks outside that it leads to.
    fn exits(&self) -> Vec<Block<'ctx>> {
        let mut found = Vec::new();
        for to in self.blocks.iter().flat_map(|block| block.successors()) {
            if !self.blocks.contains(&to) && !found.contains(&to) {
                found.push(to);
            }
        }
        found
    }
}

/// What is computed before an instruction of a function.
pub(super) struct Before<'ctx> {
    first: Value<'ctx>,
    known: HashSet<Value<'ctx>>,
}

impl<'ctx> Before<'ctx> {
    /// Before an instruction of a block, by its number.
    pub(super) fn new(graph: &Graph<'ctx>, at: usize, first: Value<'ctx>) -> Before<'ctx> {
        let own = graph.blocks[at].instructions().into_iter();
        let mut known: HashSet<Value<'ctx>> = own.take_while(|i| *i != first).collect();
        let mut above = graph.immediate_dominator(at);
        while let Some(at) = above {
            known.extend(graph.blocks[at].instructions());
            above = graph.immediate_dominator(at);
        }
        Before { first, known }
    }

    fn knows(&self, value: Value<'ctx>) -> bool {
        value.block().is_none() || self.known.contains(&value)
    }

    /// Whether a value is known there, or can be computed there.
    pub(super) fn can_move(&self, value: Value<'ctx>, depth: u32) -> bool {
        let is_free =
            || !matches!(value.op(), Op::Phi | Op::Branch | Op::Call) && is_speculatable(value);
        let operands = || value.operands().into_iter();
        self.knows(value)
            || depth > 0 && is_free() && operands().all(|v| self.can_move(v, depth - 1))
    }

    /// Computes a value there that is not known and can be.
    pub(super) fn hoist(&mut self, value: Value<'ctx>) {
        if !self.knows(value) {
            for operand in value.operands() {
                self.hoist(operand);
            }
            value.move_before(self.first);
            self.known.insert(value);
        }
    }
}
