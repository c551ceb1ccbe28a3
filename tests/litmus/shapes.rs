//! The programs: each a few threads with three places `x`, `y`, `z` that hold 0 at first, and an outcome that no interleaving gives.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use crate::styles::Style;

/// The places of one instance.
pub(crate) type Places<'a> = [&'a AtomicU32; 3];

/// What an instance did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Outcome {
    /// What each thread read, in its order; at most 3.
    pub(crate) read: [[u32; 2]; 4],
    /// What the places hold in the end.
    pub(crate) left: [u32; 3],
}

impl Outcome {
    /// From four bits for each thread, and the places.
    pub(crate) fn new(seen: u32, left: [u32; 3]) -> Outcome {
        let of = |role: u32| [seen >> (4 * role) & 3, seen >> (4 * role + 2) & 3];
        Outcome {
            read: [0, 1, 2, 3].map(of),
            left,
        }
    }
}

/// Whether the memory model allows the outcome: with relaxed accesses, with release and acquire, with sequentially consistent accesses, with fences of both
/// kinds between relaxed accesses, and with sequentially consistent fences between them.
pub(crate) type Allowed = [bool; 5];

/// One program.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) roles: u32,
    /// What the threads do.
    pub(crate) text: &'static str,
    /// The outcome.
    pub(crate) outcome: &'static str,
    pub(crate) is_it: fn(&Outcome) -> bool,
    pub(crate) allowed: Allowed,
    pub(crate) why: &'static str,
}

macro_rules! shapes {
    ($($name:literal $roles:literal [$text:literal] $outcome:literal = |$o:ident| $is:expr,
       $allowed:expr, $why:literal,
       |$role:ident, $x:ident, $y:ident, $z:ident, $s:ident| $body:expr;)*) => {
        pub(crate) const SHAPES: &[Shape] = &[$(Shape {
            name: $name,
            roles: $roles,
            text: $text,
            outcome: $outcome,
            is_it: |$o| $is,
            allowed: $allowed,
            why: $why,
        }),*];

        /// What thread `role` of shape number `shape` does; gives what it read, two bits each.
        #[inline(always)]
        pub(crate) fn run<Accesses: Style>(shape: u32, role: u32, places: Places<'_>) -> u32 {
            let mut number = 0;
            $({
                #[inline(always)]
                fn body<$s: Style>($role: u32, [$x, $y, $z]: Places<'_>) -> u32 {
                    $body
                }
                if shape == number {
                    return body::<Accesses>(role, places);
                }
                number += 1;
            })*
            debug_assert!(shape < number, "no such shape");
            0
        }
    };
}

/// `first` in the lower two bits.
#[inline(always)]
fn both(first: u32, second: u32) -> u32 {
    first | second << 2
}

const NEVER: Allowed = [false; 5];
/// With relaxed accesses alone.
const RELAXED: Allowed = [true, false, false, false, false];
/// Unless sequentially consistent.
const UNLESS_SC: Allowed = [true, true, false, true, false];

shapes! {
    "SB" 2 ["x = 1; a = y ‖ y = 1; b = x"] "a = b = 0" = |o| o.read[0][0] == 0 && o.read[1][0] == 0,
    UNLESS_SC, "no load reads a store that it would synchronise with",
    |role, x, y, _z, S| {
        let (own, other) = if role == 0 { (x, y) } else { (y, x) };
        S::store(own, 1);
        S::between();
        S::load(other)
    };
    "MP" 2 ["x = 1; y = 1 ‖ a = y; b = x"] "a = 1, b = 0" = |o| o.read[1] == [1, 0],
    RELAXED, "what releases y orders x before it",
    |role, x, y, _z, S| if role == 0 {
        S::store(x, 1);
        S::between();
        S::store(y, 1);
        0
    } else {
        let a = S::load(y);
        S::between();
        both(a, S::load(x))
    };
    "LB" 2 ["a = x; y = 1 ‖ b = y; x = 1"] "a = b = 1" = |o| o.read[0][0] == 1 && o.read[1][0] == 1,
    RELAXED, "a store made before an earlier load of its thread",
    |role, x, y, _z, S| {
        let (from, to) = if role == 0 { (x, y) } else { (y, x) };
        let a = S::load(from);
        S::between();
        S::store(to, 1);
        a
    };
    "IRIW" 4 ["x = 1 ‖ y = 1 ‖ a = x; b = y ‖ c = y; d = x"] "a = c = 1, b = d = 0" = |o| o.read[2] == [1, 0] && o.read[3] == [1, 0],
    UNLESS_SC, "nothing but one order of all orders the two stores",
    |role, x, y, _z, S| match role {
        0 => {
            S::store(x, 1);
            0
        }
        1 => {
            S::store(y, 1);
            0
        }
        _ => {
            let (first, second) = if role == 2 { (x, y) } else { (y, x) };
            let a = S::load(first);
            S::between();
            both(a, S::load(second))
        }
    };
    "WRC" 3 ["x = 1 ‖ a = x; y = 1 ‖ b = y; c = x"] "a = b = 1, c = 0" = |o| o.read[1][0] == 1 && o.read[2] == [1, 0],
    RELAXED, "order is transitive",
    |role, x, y, _z, S| match role {
        0 => {
            S::store(x, 1);
            0
        }
        1 => {
            let a = S::load(x);
            S::between();
            S::store(y, 1);
            a
        }
        _ => {
            let b = S::load(y);
            S::between();
            both(b, S::load(x))
        }
    };
    "ISA2" 3 ["x = 1; y = 1 ‖ a = y; z = 1 ‖ b = z; c = x"] "a = b = 1, c = 0" = |o| o.read[1][0] == 1 && o.read[2] == [1, 0],
    RELAXED, "order is transitive",
    |role, x, y, z, S| match role {
        0 => {
            S::store(x, 1);
            S::between();
            S::store(y, 1);
            0
        }
        1 => {
            let a = S::load(y);
            S::between();
            S::store(z, 1);
            a
        }
        _ => {
            let b = S::load(z);
            S::between();
            both(b, S::load(x))
        }
    };
    "R" 2 ["x = 1; y = 1 ‖ y = 2; a = x"] "y = 2 in the end, a = 0" = |o| o.left[1] == 2 && o.read[1][0] == 0,
    UNLESS_SC, "no load reads a store that it would synchronise with",
    |role, x, y, _z, S| if role == 0 {
        S::store(x, 1);
        S::between();
        S::store(y, 1);
        0
    } else {
        S::store(y, 2);
        S::between();
        S::load(x)
    };
    "S" 2 ["x = 2; y = 1 ‖ a = y; x = 1"] "a = 1, x = 2 in the end" = |o| o.read[1][0] == 1 && o.left[0] == 2,
    RELAXED, "a store before one that was made earlier",
    |role, x, y, _z, S| if role == 0 {
        S::store(x, 2);
        S::between();
        S::store(y, 1);
        0
    } else {
        let a = S::load(y);
        S::between();
        S::store(x, 1);
        a
    };
    "2+2W" 2 ["x = 1; y = 2 ‖ y = 1; x = 2"] "x = y = 1 in the end" = |o| o.left[..2] == [1, 1],
    UNLESS_SC, "stores before ones that were made earlier",
    |role, x, y, _z, S| {
        let (first, second) = if role == 0 { (x, y) } else { (y, x) };
        S::store(first, 1);
        S::between();
        S::store(second, 2);
        0
    };
    "S+RMW" 2 ["x = 2; y = 1 ‖ a = y; b = x++"] "a = 1, b = 0, x = 2 in the end" = |o| o.read[1] == [1, 0] && o.left[0] == 2,
    RELAXED, "a change before a store that was made earlier",
    |role, x, y, _z, S| if role == 0 {
        S::store(x, 2);
        S::between();
        S::store(y, 1);
        0
    } else {
        let a = S::load(y);
        S::between();
        both(a, S::add(x))
    };
    "CoRR" 2 ["x = 1 ‖ a = x; b = x"] "a = 1, b = 0" = |o| o.read[1] == [1, 0],
    NEVER, "coherence",
    |role, x, _y, _z, S| if role == 0 {
        S::store(x, 1);
        0
    } else {
        let a = S::load(x);
        S::between();
        both(a, S::load(x))
    };
    "CoRR2" 4 ["x = 1 ‖ x = 2 ‖ a = x; b = x ‖ c = x; d = x"] "a = d = 1, b = c = 2" = |o| o.read[2] == [1, 2] && o.read[3] == [2, 1],
    NEVER, "coherence",
    |role, x, _y, _z, S| if role < 2 {
        S::store(x, role + 1);
        0
    } else {
        let a = S::load(x);
        S::between();
        both(a, S::load(x))
    };
    "CoWW" 1 ["x = 1; x = 2"] "x = 1 in the end" = |o| o.left[0] == 1,
    NEVER, "coherence",
    |_role, x, _y, _z, S| {
        S::store(x, 1);
        S::between();
        S::store(x, 2);
        0
    };
    "CoWR" 2 ["x = 1; a = x ‖ x = 2"] "a = 0, or a = 2 and x = 1 in the end" = |o| o.read[0][0] == 0 || o.read[0][0] == 2 && o.left[0] == 1,
    NEVER, "coherence",
    |role, x, _y, _z, S| if role == 0 {
        S::store(x, 1);
        S::between();
        S::load(x)
    } else {
        S::store(x, 2);
        0
    };
    "CoRW" 2 ["a = x; x = 1 ‖ x = 2"] "a = 1, or a = 2 and x = 2 in the end" = |o| o.read[0][0] == 1 || o.read[0][0] == 2 && o.left[0] == 2,
    NEVER, "coherence",
    |role, x, _y, _z, S| if role == 0 {
        let a = S::load(x);
        S::between();
        S::store(x, 1);
        a
    } else {
        S::store(x, 2);
        0
    };
    "RMW" 2 ["a = x++ ‖ b = x++"] "a = b = 0, or x = 1 in the end" = |o| o.read[0][0] == 0 && o.read[1][0] == 0 || o.left[0] == 1,
    NEVER, "a change reads the store before its own",
    |_role, x, _y, _z, S| S::add(x);
    "SB+RMW" 2 ["x++; a = y ‖ y++; b = x"] "a = b = 0" = |o| o.read[0][0] == 0 && o.read[1][0] == 0,
    UNLESS_SC, "no load reads a store that it would synchronise with",
    |role, x, y, _z, S| {
        let (own, other) = if role == 0 { (x, y) } else { (y, x) };
        S::add(own);
        S::between();
        S::load(other)
    };
    "MP+RMW" 2 ["x = 1; y++ ‖ a = y++; b = x"] "a = 1, b = 0" = |o| o.read[1] == [1, 0],
    RELAXED, "what releases y orders x before it",
    |role, x, y, _z, S| if role == 0 {
        S::store(x, 1);
        S::between();
        S::add(y);
        0
    } else {
        let a = S::add(y);
        S::between();
        both(a, S::load(x))
    };
    "release sequence" 3 ["x = 1; y = 1 ‖ y++, relaxed ‖ a = y; b = x"] "y = 2 in the end, a = 2, b = 0" = |o| o.left[1] == 2 && o.read[2] == [2, 0],
    RELAXED, "a change continues the release sequence; the other order of both writes leaves y = 1",
    |role, x, y, _z, S| match role {
        0 => {
            S::store(x, 1);
            S::between();
            S::store(y, 1);
            0
        }
        1 => {
            y.fetch_add(1, Relaxed);
            0
        }
        _ => {
            let a = S::load(y);
            S::between();
            both(a, S::load(x))
        }
    };
    "broken sequence" 3 ["x = 1; y = 1 ‖ a = y; y = 2, both relaxed ‖ b = y; c = x"] "a = 1, b = 2, c = 0" = |o| o.read[1][0] == 1 && o.read[2] == [2, 0],
    UNLESS_SC, "a store of another thread ends the release sequence",
    |role, x, y, _z, S| match role {
        0 => {
            S::store(x, 1);
            S::between();
            S::store(y, 1);
            0
        }
        1 => {
            let a = y.load(Relaxed);
            y.store(2, Relaxed);
            a
        }
        _ => {
            let b = S::load(y);
            S::between();
            both(b, S::load(x))
        }
    };
}
