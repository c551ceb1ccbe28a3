//! Expressions of exact numbers, and what must hold of them.

use super::{SMALL, is_wide};
use crate::llvm::{Builder, Predicate, Value};

/// An expression of exact numbers.
#[derive(Clone, PartialEq)]
pub(in crate::opt) enum Bound<'ctx> {
    Number(i128),
    /// A value, of 32 bits as a signed one, with its limits.
    Value(Value<'ctx>, (i128, i128)),
    Sum(Box<Bound<'ctx>>, Box<Bound<'ctx>>),
    Difference(Box<Bound<'ctx>>, Box<Bound<'ctx>>),
    Product(Box<Bound<'ctx>>, Box<Bound<'ctx>>),
    Least(Box<Bound<'ctx>>, Box<Bound<'ctx>>),
    Most(Box<Bound<'ctx>>, Box<Bound<'ctx>>),
    /// Divided by a constant.
    Quotient(Box<Bound<'ctx>>, i128),
}

/// What must hold for a range to be right.
#[derive(Clone, PartialEq)]
pub(in crate::opt) enum Condition<'ctx> {
    /// The first one is at most the second one.
    AtMost(Bound<'ctx>, Bound<'ctx>),
    /// A number of 64 bits is at least 0 and below [`SMALL`].
    Small(Value<'ctx>),
}

impl<'ctx> Bound<'ctx> {
    pub(in crate::opt) fn sum(a: Bound<'ctx>, b: Bound<'ctx>) -> Bound<'ctx> {
        match (&a, &b) {
            (Bound::Number(a), Bound::Number(b)) => Bound::Number(a + b),
            (_, Bound::Number(0)) => a,
            (Bound::Number(0), _) => b,
            (Bound::Sum(c, d), Bound::Number(n)) if matches!(**d, Bound::Number(_)) => {
                Bound::sum((**c).clone(), Bound::sum((**d).clone(), Bound::Number(*n)))
            }
            _ => Bound::Sum(a.into(), b.into()),
        }
    }

    pub(super) fn difference(a: Bound<'ctx>, b: Bound<'ctx>) -> Bound<'ctx> {
        match &b {
            Bound::Number(n) => Bound::sum(a, Bound::Number(-n)),
            _ => Bound::Difference(a.into(), b.into()),
        }
    }

    pub(super) fn product(a: Bound<'ctx>, b: Bound<'ctx>) -> Bound<'ctx> {
        match (&a, &b) {
            (Bound::Number(a), Bound::Number(b)) => Bound::Number(a * b),
            (_, Bound::Number(1)) => a,
            (Bound::Number(1), _) => b,
            (_, Bound::Number(0)) | (Bound::Number(0), _) => Bound::Number(0),
            _ => Bound::Product(a.into(), b.into()),
        }
    }

    pub(super) fn smaller(a: Bound<'ctx>, b: Bound<'ctx>) -> Bound<'ctx> {
        let (of_a, of_b) = (a.limits(), b.limits());
        if a == b || of_a.1 <= of_b.0 {
            a
        } else if of_b.1 <= of_a.0 {
            b
        } else {
            Bound::Least(a.into(), b.into())
        }
    }

    pub(super) fn larger(a: Bound<'ctx>, b: Bound<'ctx>) -> Bound<'ctx> {
        let (of_a, of_b) = (a.limits(), b.limits());
        if a == b || of_a.0 >= of_b.1 {
            a
        } else if of_b.0 >= of_a.1 {
            b
        } else {
            Bound::Most(a.into(), b.into())
        }
    }

    pub(super) fn quotient(a: Bound<'ctx>, by: i128) -> Bound<'ctx> {
        match a {
            Bound::Number(a) => Bound::Number(a.div_euclid(by)),
            _ if by == 1 => a,
            _ => Bound::Quotient(a.into(), by),
        }
    }

    /// The least and the largest number that it can be.
    pub(in crate::opt) fn limits(&self) -> (i128, i128) {
        match self {
            Bound::Number(n) => (*n, *n),
            Bound::Value(_, limits) => *limits,
            Bound::Sum(a, b) => {
                let (a, b) = (a.limits(), b.limits());
                (a.0.saturating_add(b.0), a.1.saturating_add(b.1))
            }
            Bound::Difference(a, b) => {
                let (a, b) = (a.limits(), b.limits());
                (a.0.saturating_sub(b.1), a.1.saturating_sub(b.0))
            }
            Bound::Product(a, b) => {
                let (a, b) = (a.limits(), b.limits());
                let all = [a.0, a.1].map(|a| [b.0, b.1].map(|b| a.saturating_mul(b)));
                let all = all.as_flattened();
                let (least, most) = (all.iter().min(), all.iter().max());
                (*least.unwrap_or(&0), *most.unwrap_or(&0))
            }
            Bound::Least(a, b) => {
                let (a, b) = (a.limits(), b.limits());
                (a.0.min(b.0), a.1.min(b.1))
            }
            Bound::Most(a, b) => {
                let (a, b) = (a.limits(), b.limits());
                (a.0.max(b.0), a.1.max(b.1))
            }
            Bound::Quotient(a, by) => {
                let a = a.limits();
                (a.0.div_euclid(*by), a.1.div_euclid(*by))
            }
        }
    }

    /// Whether it can be computed in 64 bits.
    pub(super) fn fits(&self) -> bool {
        let (least, most) = self.limits();
        least >= i128::from(i64::MIN) && most <= i128::from(i64::MAX)
    }

    /// The values that it is computed from.
    pub(super) fn add_values(&self, found: &mut Vec<Value<'ctx>>) {
        match self {
            Bound::Number(_) => {}
            Bound::Value(value, _) => {
                if !found.contains(value) {
                    found.push(*value);
                }
            }
            Bound::Quotient(a, _) => a.add_values(found),
            Bound::Sum(a, b)
            | Bound::Difference(a, b)
            | Bound::Product(a, b)
            | Bound::Least(a, b)
            | Bound::Most(a, b) => {
                a.add_values(found);
                b.add_values(found);
            }
        }
    }

    /// Computes it in 64 bits, from other values in the place of its own.
    pub(super) fn build(
        &self,
        at: &Builder<'ctx>,
        map: &dyn Fn(Value<'ctx>) -> Value<'ctx>,
    ) -> Value<'ctx> {
        let two = |a: &Bound<'ctx>, b: &Bound<'ctx>| (a.build(at, map), b.build(at, map));
        match self {
            Bound::Number(n) => at.number(*n as u64, 64),
            Bound::Value(value, _) if is_wide(*value) => map(*value),
            Bound::Value(value, _) => at.sign_widened(map(*value)),
            Bound::Sum(a, b) => {
                let (a, b) = two(a, b);
                at.add(a, b)
            }
            Bound::Difference(a, b) => {
                let (a, b) = two(a, b);
                at.sub(a, b)
            }
            Bound::Product(a, b) => {
                let (a, b) = two(a, b);
                at.mul(a, b)
            }
            Bound::Least(a, b) => {
                let (a, b) = two(a, b);
                at.select(at.compare_as(Predicate::Slt, a, b), a, b)
            }
            Bound::Most(a, b) => {
                let (a, b) = two(a, b);
                at.select(at.compare_as(Predicate::Sgt, a, b), a, b)
            }
            // Ranges with a quotient are of numbers that are not negative.
            Bound::Quotient(a, by) => at.divide(a.build(at, map), at.number(*by as u64, 64)),
        }
    }
}

impl<'ctx> Condition<'ctx> {
    /// Whether it holds, as far as that is known now.
    pub(super) fn known(&self) -> Option<bool> {
        match self {
            Condition::AtMost(a, b) if a == b => Some(true),
            Condition::AtMost(a, b) => {
                let (a, b) = (a.limits(), b.limits());
                if a.1 <= b.0 {
                    Some(true)
                } else {
                    (a.0 > b.1).then_some(false)
                }
            }
            Condition::Small(_) => None,
        }
    }

    pub(super) fn fits(&self) -> bool {
        match self {
            Condition::AtMost(a, b) => a.fits() && b.fits(),
            Condition::Small(_) => true,
        }
    }

    pub(in crate::opt) fn add_values(&self, found: &mut Vec<Value<'ctx>>) {
        match self {
            Condition::AtMost(a, b) => {
                a.add_values(found);
                b.add_values(found);
            }
            Condition::Small(value) => Bound::Value(*value, (0, 0)).add_values(found),
        }
    }

    /// Asks for it, of other values in the place of its own.
    pub(in crate::opt) fn build(
        &self,
        at: &Builder<'ctx>,
        map: &dyn Fn(Value<'ctx>) -> Value<'ctx>,
    ) -> Value<'ctx> {
        match self {
            Condition::AtMost(a, b) => {
                let (a, b) = (a.build(at, map), b.build(at, map));
                at.compare_as(Predicate::Sle, a, b)
            }
            Condition::Small(value) => {
                at.compare_as(Predicate::Ult, map(*value), at.number(SMALL as u64, 64))
            }
        }
    }
}
