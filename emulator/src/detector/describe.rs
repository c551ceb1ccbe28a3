//! What the reports of races and of memory without a value say.

use super::access::Access;
use super::hints::Lack;
use super::memory::element;
use super::race::{is_same_block, is_same_warp, reaches, side, side_now};
use super::slot::{AccessKind, Slot};
use super::space::SpaceKind;
use super::state::BlockChecks;
use super::uninitialised::Read;
use crate::engine::shared_array::Array;
use crate::finding::{Code, Report};

/// A race of `access` with what was done before.
pub(super) fn race(access: &Access<'_>, other: Slot, code: Code) -> Report {
    let name = name(access);
    let now = access.now;
    let title = format!("{} (`{name}`)", code.title());
    let mut report = Report::new(code, title)
        .side(side_now(access, doing(access, &name)))
        .side(side(access.checks, other, done(other.what, &name)));
    report = match code {
        Code::MISSING_ORDER | Code::NARROW_SCOPE if !is_atomic_pair(now, other) => {
            handed_over(access, other, report)
        }
        Code::NARROW_SCOPE => report
            .why(format!(
                "the scope of these atomics is {} and {}: each has to include the thread of the other, or one may be lost",
                scope(now.what),
                scope(other.what)
            ))
            .help("use the scope `Device`, or that which includes all threads that access it"),
        Code::MIXED_SIZES => report
            .why(format!(
                "one is atomic for {} and the other for {}, so neither is atomic for the other, and {}",
                size(now.what.size().unwrap_or(access.bytes)),
                size(other.what.size().unwrap_or(access.bytes)),
                unordered(access, other)
            ))
            .help("access these bytes by atomics of one type, or put a barrier between the two"),
        Code::WARP_VOLATILE => report
            .why(format!(
                "volatile accesses are made as they are written, but lanes do not run in step, so either may come first: {}",
                unordered(access, other)
            ))
            .help("put `warp.sync()` between the two; if one lane polls what another writes, use atomics"),
        Code::MIXED_ATOMIC => report
            .why(format!("one of the two is an atomic, the other is not, and {}", unordered(access, other)))
            .help("make both atomic, or put a barrier between them"),
        Code::SAME_VALUE => report
            .why(format!("{}; both write the same value, so the result is the same in any order", unordered(access, other)))
            .help("let one thread write it, or make the writes relaxed atomics"),
        _ => report.why(unordered(access, other)).help(advice(access, other)),
    };
    report
}

/// Of memory that is freed and that another lane has accessed, with nothing to order the two.
pub(super) fn freed(free: &Access<'_>, other: Slot) -> Report {
    let name = name(free);
    let title =
        format!("free of memory that another thread uses, without order between the two: {name}");
    Report::new(Code::USE_AFTER_FREE, title)
        .side(side_now(free, "frees the piece that it lies in".to_owned()))
        .side(side(free.checks, other, done(other.what, &name)))
        .why(format!("{}: in another order of threads it is used when it is free", unordered(free, other)))
        .help("put a barrier between the last use and the free, or let the last thread free it that takes one from an atomic count, with `AcqRel`")
}

fn is_atomic_pair(a: Slot, b: Slot) -> bool {
    a.what.is(AccessKind::ATOMIC) && b.what.is(AccessKind::ATOMIC)
}

/// The report of data that an atomic handed over without order.
fn handed_over(access: &Access<'_>, other: Slot, report: Report) -> Report {
    let checks = access.checks;
    let Some(hint) = checks.hint_about(access.now.who, other) else {
        return report;
    };
    let slot = |who, site| Slot {
        who,
        t: 0,
        what: AccessKind::new(AccessKind::ATOMIC, site),
    };
    let report = report
        .side(side(
            checks,
            slot(hint.write.who, hint.write.site),
            "wrote it to say that the data is there".into(),
        ))
        .side(side(
            checks,
            slot(hint.reader, hint.read),
            "read that".into(),
        ));
    match hint.lacks(other, |scope| reaches(access, other, scope)) {
        Lack::Scope => report
            .why("the atomics order the two, but only for threads of their scope, which does not include both")
            .help("use the scope `Device`, or one that includes both threads"),
        Lack::Acquire => report
            .why("what was written releases the data, but the read of it does not acquire it")
            .help("read it with `Acquire`, or put an acquire fence behind the read"),
        Lack::Release => report
            .why("the write does not release what the thread did before: others may see it first")
            .help("write it with `Release` (a read and write: `AcqRel`), or put a fence before it; read it with `Acquire`"),
    }
}

fn scope(what: AccessKind) -> &'static str {
    ["the block", "the cluster", "the device", "the system"][what.scope() as usize & 3]
}

/// Which order is missing.
fn unordered(access: &Access<'_>, other: Slot) -> String {
    if !is_same_block(access, other) {
        return "blocks run in any order and at the same time; nothing orders these two".into();
    }
    if let Some(place) = access.checks.clocks.missed_barrier(other.who) {
        return format!(
            "the other thread returned before the barrier at {place}: a barrier orders memory among the threads that reach it, and the end of a thread orders nothing"
        );
    }
    let (interval, place) = access.checks.clocks.interval.get();
    let since = match (interval, place) {
        (0, _) => "no barrier of the block since the kernel began".to_owned(),
        (_, None) => "no barrier of the block between them".to_owned(),
        (_, Some(place)) => format!("after the barrier at {place}"),
    };
    let both = format!("both are in barrier interval {interval} of the block ({since})");
    if is_same_warp(access, other) {
        return format!(
            "{both}; they are in one warp, but no `warp.sync()` of both lanes is between them, and shuffles, votes, matches and reductions order no memory"
        );
    }
    both
}

fn advice(access: &Access<'_>, other: Slot) -> &'static str {
    if is_same_block(access, other) && access.checks.clocks.missed_barrier(other.who).is_some() {
        "let the thread reach the barrier: put what it skips into an `if` instead of returning early"
    } else if is_same_warp(access, other) {
        "put `warp.sync()` between the two"
    } else if is_same_block(access, other) {
        "put a barrier of the block between the two, which all threads reach"
    } else {
        "let each block access its own elements, use atomics, or split the kernel in two launches"
    }
}

fn doing(access: &Access<'_>, name: &str) -> String {
    let what = access.now.what;
    let bytes = access.bytes;
    let size = size(bytes);
    let verb = match (
        what.is(AccessKind::ATOMIC),
        what.is(AccessKind::WRITE),
        what.is(AccessKind::READ),
    ) {
        (true, true, true) => "changes",
        (true, true, false) => "writes",
        (true, false, _) => "reads",
        (false, true, _) => "writes",
        (false, false, _) => "reads",
    };
    let kind = if what.is(AccessKind::VOLATILE) {
        ", volatile"
    } else if what.is(AccessKind::ATOMIC) {
        ", atomic"
    } else {
        ""
    };
    let mut text = format!("{verb} {name} ({size}{kind})");
    let digits = 2 * bytes;
    match (what.is(AccessKind::WRITE), access.value, access.present()) {
        (true, Some(value), Some(present)) => {
            text.push_str(&format!(
                ": {present:#0w$x} → {value:#0w$x}",
                w = digits + 2
            ));
        }
        (false, _, Some(present)) => {
            text.push_str(&format!(": {present:#0w$x} now", w = digits + 2));
        }
        _ => {}
    }
    text
}

fn size(bytes: usize) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        _ => format!("{bytes} bytes"),
    }
}

fn done(what: AccessKind, name: &str) -> String {
    let kind = if what.is(AccessKind::VOLATILE) {
        " (volatile)"
    } else if what.is(AccessKind::ATOMIC) {
        " (atomic)"
    } else {
        ""
    };
    let verb = match (what.is(AccessKind::WRITE), what.is(AccessKind::READ)) {
        (true, true) => "changed",
        (true, false) if what.is_copy() => "copied to",
        (true, false) => "wrote",
        _ => "read",
    };
    format!("{verb} {name}{kind}")
}

/// What is accessed, as the program would say it.
pub(super) fn name(access: &Access<'_>) -> String {
    if let Some(allocation) = access.space.allocation() {
        return element(&access.checks.run().snapshot, allocation, access.address);
    }
    array_name(array(access))
}

/// The array of shared memory that is accessed, and where in it.
pub(super) fn array(access: &Access<'_>) -> (Option<Array>, usize) {
    let array = match access.space.what {
        SpaceKind::Shared { array, .. } => access.running.arena.borrow().array_at(array as usize),
        _ => None,
    };
    (array, access.address - access.space.base)
}

fn array_name((array, offset): (Option<Array>, usize)) -> String {
    match array {
        Some(array) => array.element(offset),
        None => format!("dynamic shared memory, byte {offset}"),
    }
}

/// Shared memory that has no value yet.
pub(super) fn uninitialised_shared(checks: &BlockChecks, read: Read) -> Report {
    let name = array_name(read.array);
    let title = format!("{} (`{name}`)", Code::SHARED_UNINIT.title());
    let did = format!("reads {name} ({})", size(read.bytes));
    Report::new(Code::SHARED_UNINIT, title)
        .side(side(checks, read.by, did))
        .why("no thread of the block has written it; shared memory holds anything when a block starts")
        .help("let the threads of the block write all of the array, then a barrier, before they read it")
}
