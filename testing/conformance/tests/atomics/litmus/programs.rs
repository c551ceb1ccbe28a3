//! The programs, ordered enough that what they forbid never happens.

use super::{Program, never};
use warploom::device_std::atomic::{
    AcqRel, Acquire, Atomic, Relaxed, Release, Scope, SeqCst, fence, scope,
};

macro_rules! programs {
    ($($(#[$doc:meta])* $name:ident($roles:literal, |$role:ident, $x:ident, $y:ident, $s:ident| $body:expr);)*) => {$(
        $(#[$doc])*
        pub(super) struct $name;
        impl Program for $name {
            const ROLES: usize = $roles;
            #[inline(always)]
            fn run<$s: Scope>($role: usize, $x: &Atomic<u32, $s>, $y: &Atomic<u32, $s>) -> u32 {
                $body
            }
        }
    )*};
}

programs! {
    /// Message passing by release and acquire: a thread that sees the flag sees the message.
    Message(2, |role, x, y, S| if role == 0 {
        x.store(1, Relaxed);
        y.store(1, Release);
        0
    } else {
        let flag = y.load(Acquire);
        flag | x.load(Relaxed) << 1
    });
    /// The same by read-modify-writes.
    MessageRmw(2, |role, x, y, S| if role == 0 {
        x.store(1, Relaxed);
        y.fetch_add(1, AcqRel);
        0
    } else {
        let flag = y.fetch_or(0, AcqRel);
        flag | x.load(Relaxed) << 1
    });
    /// Store buffering: two threads write, then read what the other writes. One of them sees the other's.
    Buffering(2, |role, x, y, S| if role == 0 {
        x.store(1, SeqCst);
        y.load(SeqCst)
    } else {
        y.store(1, SeqCst);
        x.load(SeqCst)
    });
    /// The same by exchanges.
    BufferingRmw(2, |role, x, y, S| if role == 0 {
        x.swap(1, SeqCst);
        y.fetch_add(0, SeqCst)
    } else {
        y.swap(1, SeqCst);
        x.fetch_add(0, SeqCst)
    });
    /// Load buffering: two threads read, then write what the other reads. Not both read what comes later.
    Loads(2, |role, x, y, S| if role == 0 {
        let seen = x.load(Acquire);
        y.store(1, Release);
        seen
    } else {
        let seen = y.load(Acquire);
        x.store(1, Release);
        seen
    });
    /// Independent reads of independent writes: two readers agree on which of two writes came first.
    Independent(4, |role, x, y, S| match role {
        0 => {
            x.store(1, SeqCst);
            0
        }
        1 => {
            y.store(1, SeqCst);
            0
        }
        2 => {
            let first = x.load(SeqCst);
            first | y.load(SeqCst) << 1
        }
        _ => {
            let first = y.load(SeqCst);
            first | x.load(SeqCst) << 1
        }
    });
    /// Coherence: a thread that has read the new value does not read the old one after it.
    Coherence(2, |role, x, y, S| if role == 0 {
        x.store(1, Relaxed);
        y.store(1, Relaxed);
        0
    } else {
        let first = x.load(Relaxed);
        first | x.load(Relaxed) << 1
    });
}

macro_rules! fenced {
    ($($scope:ident: $message:ident $buffering:ident;)*) => {$(
        programs! {
            /// Message passing by fences between relaxed accesses.
            $message(2, |role, x, y, S| if role == 0 {
                x.store(1, Relaxed);
                fence(Release, scope::$scope);
                y.store(1, Relaxed);
                0
            } else {
                let flag = y.load(Relaxed);
                fence(Acquire, scope::$scope);
                flag | x.load(Relaxed) << 1
            });
            /// Store buffering with fences between relaxed accesses.
            $buffering(2, |role, x, y, S| if role == 0 {
                x.store(1, Relaxed);
                fence(SeqCst, scope::$scope);
                y.load(Relaxed)
            } else {
                y.store(1, Relaxed);
                fence(SeqCst, scope::$scope);
                x.load(Relaxed)
            });
        }
    )*};
}
fenced! {
    Block: MessageFencedBlock BufferingFencedBlock;
    Device: MessageFencedDevice BufferingFencedDevice;
    System: MessageFencedSystem BufferingFencedSystem;
}

/// Flag seen (bit 0 of role 1), message not (bit 1).
pub(super) fn message(outcome: u32) -> bool {
    outcome >> 2 & 3 == 0b01
}

/// Neither sees the other's write.
pub(super) fn buffering(outcome: u32) -> bool {
    outcome & 0b0101 == 0
}

/// Both see the other's write.
pub(super) fn loads(outcome: u32) -> bool {
    outcome & 0b0101 == 0b0101
}

/// Reader 2 sees x before y, reader 3 y before x.
fn independent(outcome: u32) -> bool {
    outcome >> 4 == 0b01_01
}

fn coherence(outcome: u32) -> bool {
    outcome >> 2 & 3 == 0b01
}

macro_rules! tests {
    ($($scope:ident $within:literal: $block:ident $message:ident $buffering:ident;)*) => {$(
        mod $block {
            use super::*;

            //@ rows: LIT-mp, SY-7, SY-8, SY-9, GVAR-18, GPM-17, E-12
            #[test]
            fn message_passing() {
                never::<Message, scope::$scope>($within, message);
                never::<MessageRmw, scope::$scope>($within, message);
                never::<$message, scope::$scope>($within, message);
            }

            //@ rows: LIT-sb, SY-7, SY-8, SY-9, E-13
            #[test]
            fn store_buffering() {
                never::<Buffering, scope::$scope>($within, buffering);
                never::<BufferingRmw, scope::$scope>($within, buffering);
                never::<$buffering, scope::$scope>($within, buffering);
            }

            //@ rows: LIT-lb
            #[test]
            fn load_buffering() {
                never::<Loads, scope::$scope>($within, loads);
            }

            //@ rows: LIT-iriw
            #[test]
            fn independent_reads_of_independent_writes() {
                never::<Independent, scope::$scope>($within, independent);
            }

            //@ rows: LIT-co
            #[test]
            fn coherence_of_reads() {
                never::<Coherence, scope::$scope>($within, coherence);
            }
        }
    )*};
}
tests! {
    Block true: of_a_block MessageFencedBlock BufferingFencedBlock;
    Device false: of_the_device MessageFencedDevice BufferingFencedDevice;
    System false: of_the_system MessageFencedSystem BufferingFencedSystem;
}
