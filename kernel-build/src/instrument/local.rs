//! Accesses to a part of a local variable, at a place that the program computes: an array of each thread with an index that may be too large.
//!
//! The hook gets the indices and not the address, so that the variable may still become registers.

use crate::llvm::{Module, TypeKind, Value};
use std::fmt::Write as _;

/// The hook's name, in front of what it compares.
const HOOK: &str = "local:";
/// Steps from the variable to the place, at most.
const MOST: usize = 6;

/// A place in a local variable: `start` bytes behind its first, and for each index so many times its step.
pub(super) struct Place<'ctx> {
    size: u64,
    start: u64,
    steps: Vec<(Value<'ctx>, u64)>,
}

/// What a hook compares, as its name says it.
#[derive(Debug, PartialEq)]
pub(super) struct Compared {
    pub(super) writes: u32,
    pub(super) bytes: u64,
    pub(super) size: u64,
    pub(super) start: i64,
    pub(super) steps: Vec<u64>,
}

impl<'ctx> Place<'ctx> {
    /// The place that an address is; `None` if that is no local variable's, or not computed by steps of elements.
    pub(super) fn of(module: &Module<'ctx>, address: Value<'ctx>) -> Option<Self> {
        let mut place = Place {
            size: 0,
            start: 0,
            steps: vec![],
        };
        let mut at = address;
        for _ in 0..=MOST {
            if let Some(ty) = at.local_type() {
                // An alloca of several elements has their number as its operand.
                let count = at.operands().first()?.as_integer()?;
                place.size = module.distance(ty).checked_mul(count)?;
                return Some(place);
            }
            let (first, number, element) = at.as_element()?;
            let step = module.distance(element);
            if number.ty().kind() != TypeKind::Integer(64) {
                return None;
            }
            match number.as_integer() {
                Some(number) => {
                    let number = number.wrapping_mul(step);
                    place.start = place.start.wrapping_add(number);
                }
                None => place.steps.push((number, step)),
            }
            at = first;
        }
        None
    }

    /// Whether an access of so many bytes is inside, whatever the indices are.
    pub(super) fn fits(&self, bytes: u64) -> bool {
        let end = self.start.checked_add(bytes);
        self.steps.is_empty() && end.is_some_and(|end| end <= self.size)
    }

    pub(super) fn indices(&self) -> Vec<Value<'ctx>> {
        self.steps.iter().map(|(index, _)| *index).collect()
    }

    /// The name of the hook that compares it: for each shape its own.
    pub(super) fn hook(&self, bytes: u64, writes: u32) -> String {
        let (size, start) = (self.size, self.start.cast_signed());
        let mut name = format!("{HOOK}{writes}:{bytes}:{size}:{start}");
        for (_, step) in &self.steps {
            // Writing to a string does not fail.
            let _ = write!(name, ":{step}");
        }
        name
    }
}

impl Compared {
    /// What the hook of this name compares, if it is one of these.
    pub(super) fn of_hook(name: &str) -> Option<Self> {
        let mut words = name.strip_prefix(HOOK)?.split(':');
        Some(Compared {
            writes: words.next()?.parse().ok()?,
            bytes: words.next()?.parse().ok()?,
            size: words.next()?.parse().ok()?,
            start: words.next()?.parse().ok()?,
            steps: words.map(|step| step.parse().ok()).collect::<Option<_>>()?,
        })
    }
}

/// Whether the address is that of a local variable, or of a constant.
pub(super) fn is_private(mut at: Value<'_>) -> bool {
    loop {
        if at.is_alloca() {
            return true;
        }
        if let Some(global) = at.as_global() {
            return global.is_constant_global();
        }
        match at.base_of_address() {
            Some(base) => at = base,
            None => return false,
        }
    }
}
