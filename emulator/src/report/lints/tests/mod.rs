//! Kernels as the hooks would tell of them, and what the lints make of it.

mod again;
mod barriers;
mod contention;
mod costs;
mod requests;
mod textures;
mod vectors;
mod work;

use std::sync::OnceLock;

use super::{Access, AccessClass, Lints, Profile, Space, SyncKind};
use crate::finding::{Code, Report};
use crate::site::{Frame, SiteId, SiteInfo, register};

/// Line `line` of the kernel of a test.
fn site(line: u32) -> SiteId {
    static FIRST: OnceLock<u32> = OnceLock::new();
    let first = FIRST.get_or_init(|| {
        let frame = |line| Frame {
            file: "kernel.rs".into(),
            line,
            column: 5,
            function: "kernel".into(),
        };
        let info = |line| SiteInfo {
            frames: vec![frame(line)],
            shown: 0,
        };
        register((0..100).map(info).collect())
    });
    SiteId(first + line)
}

/// Global memory of the tests starts here.
const GLOBAL: u64 = 0x7f00_0000;

/// A read of 4 bytes in line 1.
fn read(block: u64, thread: u32, address: u64) -> Access {
    Access {
        site: site(1),
        block,
        thread,
        address,
        bytes: 4,
        align: 4,
        kind: AccessClass::Load,
        space: Some(Space::Global),
    }
}

fn shared(access: Access) -> Access {
    Access {
        space: Some(Space::Shared),
        ..access
    }
}

fn write(access: Access) -> Access {
    Access {
        kind: AccessClass::Store,
        ..access
    }
}

fn at_line(line: u32, access: Access) -> Access {
    Access {
        site: site(line),
        ..access
    }
}

/// Blocks of `n_threads`, of each of which `thread` is called for each thread up to the barriers of line 50, one interval after the other:
/// as the engine runs them.
fn run(
    n_blocks: u32,
    n_threads: u32,
    n_intervals: u32,
    thread: impl Fn(u64, u32, u32) -> Vec<Access>,
) -> Profile {
    let mut lints = Lints::new([n_blocks, 1, 1], [n_threads, 1, 1]);
    for block in 0..u64::from(n_blocks) {
        for interval in 0..n_intervals {
            if interval > 0 {
                lints.sync(SyncKind::Block, site(50), block, (0, 0));
            }
            for t in 0..n_threads {
                for access in thread(block, interval, t) {
                    lints.access(access);
                }
            }
        }
        for t in 0..n_threads {
            lints.exit(block, t);
        }
    }
    lints.finish()
}

fn codes(profile: &Profile) -> Vec<Code> {
    profile.reports().iter().map(|report| report.code).collect()
}

/// The only report of this class.
fn report(profile: &Profile, code: Code) -> Report {
    let mut of: Vec<_> = profile.reports();
    of.retain(|report| report.code == code);
    assert_eq!(of.len(), 1, "{of:#?}");
    of.remove(0)
}

fn notes(report: &Report, label: &str) -> String {
    let of = report.notes.iter().filter(|note| note.label == label);
    of.map(|note| note.text.as_str())
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn workers_add_up_to_what_one_would_have_seen() {
    let tell = |lints: &mut Lints, block| {
        for t in 0..64 {
            lints.access(read(block, t, GLOBAL + 128 * u64::from(t)));
            lints.exit(block, t);
        }
    };
    let (grid, block) = ([16, 1, 1], [64, 1, 1]);
    let (mut one, mut two, mut all) = (
        Lints::new(grid, block),
        Lints::new(grid, block),
        Lints::new(grid, block),
    );
    for number in 0..16 {
        tell(if number % 3 == 0 { &mut one } else { &mut two }, number);
        tell(&mut all, number);
    }
    two.merge(one);
    let (merged, all) = (two.finish(), all.finish());
    assert_eq!(merged.lines, all.lines);
    assert_eq!(merged.reports(), all.reports());
    assert_eq!(merged.first, all.first);
}

#[test]
fn a_block_that_never_ended_counts() {
    let mut lints = Lints::new([1, 1, 1], [32, 1, 1]);
    for t in 0..32 {
        lints.access(read(0, t, GLOBAL));
    }
    assert_eq!(lints.finish().requests(), 1);
}
