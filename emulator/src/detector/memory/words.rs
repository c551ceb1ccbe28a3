//! What reports call memory: `x[4097]`, or element 4097 of a buffer, and where it comes from.

use std::fmt::{self, Write as _};

use super::program::CONSTANTS;
use super::{Allocation, Kind, Snapshot};
use crate::finding::{Place, Side};

/// What reports call an allocation, seen from one address in it or near it.
pub(super) struct Words<'a> {
    allocation: &'a Allocation,
    /// The parameter or static, if it has a name.
    name: Option<&'a str>,
    /// Where its first element is.
    base: usize,
    /// Bytes under this name; 0 if that is not known.
    bytes: usize,
}

impl<'a> Words<'a> {
    pub(super) fn new(
        snapshot: &'a Snapshot,
        allocation: &'a Allocation,
        address: usize,
    ) -> Words<'a> {
        let last = allocation.end() - 1;
        // Behind the end the last view of it is meant, before the start the first.
        let seen = snapshot
            .view_at(allocation, address.clamp(allocation.start, last))
            .or_else(|| snapshot.view_at(allocation, last));
        let named = matches!(
            allocation.kind,
            Kind::Static | Kind::Constant | Kind::Parameter
        );
        let label = &*allocation.label;
        let own = (named && !label.is_empty() && label != CONSTANTS).then_some(label);
        Words {
            allocation,
            name: seen.map(|view| &*view.name).or(own),
            base: seen.map_or(allocation.start, |view| view.start),
            bytes: seen.map_or(0, |view| view.bytes),
        }
    }

    /// Elements from the first on.
    pub(super) fn len(&self) -> usize {
        let bytes = match self.bytes {
            0 => self.allocation.end() - self.base,
            bytes => bytes,
        };
        bytes.div_ceil(self.allocation.element)
    }

    /// The element that an address lies in, below 0 before the first.
    pub(super) fn index(&self, address: usize) -> isize {
        self.offset(address)
            .div_euclid(self.allocation.element.cast_signed())
    }

    /// Bytes from the start of that element on.
    fn rest(&self, address: usize) -> usize {
        self.offset(address)
            .rem_euclid(self.allocation.element.cast_signed())
            .cast_unsigned()
    }

    fn offset(&self, address: usize) -> isize {
        address.wrapping_sub(self.base).cast_signed()
    }

    /// `x[4097]`, or `element 4097 of a DeviceBuffer<f32>`.
    pub(super) fn element(&self, address: usize) -> String {
        let (index, rest) = (self.index(address), self.rest(address));
        let mut text = match self.name {
            Some(name) if self.len() == 1 && index == 0 => name.to_owned(),
            Some(name) => format!("{name}[{index}]"),
            None => format!("{} {index} of {}", self.unit(), self.whole()),
        };
        if rest != 0 {
            let s = if rest == 1 { "" } else { "s" };
            let _ = write!(text, " plus {rest} byte{s}");
        }
        text
    }

    /// `x`, or `a DeviceBuffer<f32>`.
    pub(super) fn whole(&self) -> String {
        match (self.name, &*self.allocation.label) {
            (Some(name), _) => name.to_owned(),
            (None, CONSTANTS) => CONSTANTS.to_owned(),
            (None, "") => match self.allocation.kind {
                Kind::Heap => "a piece of the device's heap".to_owned(),
                Kind::Parameter => "a parameter of the kernel".to_owned(),
                Kind::Constant => "a constant".to_owned(),
                _ => "a buffer".to_owned(),
            },
            (None, label) => format!("a {label}"),
        }
    }

    /// `a DeviceBuffer<f32>`, whatever the kernel calls it.
    pub(super) fn without_a_name(&self) -> String {
        match &*self.allocation.label {
            "" => "a buffer".to_owned(),
            label => format!("a {label}"),
        }
    }

    fn unit(&self) -> &'static str {
        match self.allocation.element {
            1 if self.allocation.kind != Kind::Global => "byte",
            _ => "element",
        }
    }

    /// `4096 elements`.
    pub(super) fn length(&self) -> Count {
        Count(self.len(), self.unit())
    }

    /// Where it was made, as the second line of a report.
    pub(super) fn made(&self) -> Option<Side> {
        let made = self.allocation.made;
        if made.line == 0 {
            return None;
        }
        let what = match (self.name, &*self.allocation.label) {
            (Some(name), label) if !label.is_empty() && label != name => {
                format!("{name} lies in a {label}")
            }
            _ => self.whole(),
        };
        let whole = Count(self.allocation.len(), self.unit());
        let bytes = Count(self.allocation.bytes, "byte");
        let did = match self.allocation.element {
            1 => format!("{what} of {whole}, made here"),
            _ => format!("{what} of {whole} ({bytes}), made here"),
        };
        Some(Side {
            place: Some(Place {
                file: made.file.to_owned(),
                line: made.line,
                column: made.column,
            }),
            stack: vec![],
            who: None,
            did,
        })
    }
}

/// A number of things.
pub(super) struct Count(pub(super) usize, pub(super) &'static str);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Count(number, unit) = self;
        let s = if *number == 1 { "" } else { "s" };
        write!(f, "{number} {unit}{s}")
    }
}
