//! What is told quickly counts as what is told in full.

use super::*;
use crate::engine::warp::LANES;

/// A kernel as [`run`] has it, in full and as quickly as can be; and how many accesses were told quickly.
fn both(
    (n_blocks, n_threads): (u32, u32),
    n_intervals: u32,
    thread: impl Fn(u64, u32, u32) -> Vec<Access>,
) -> ([Profile; 2], usize) {
    let mut quick = 0;
    let profiles = [false, true].map(|again| {
        let mut lints = Lints::new([n_blocks, 1, 1], [n_threads, 1, 1]);
        for block in 0..u64::from(n_blocks) {
            for interval in 0..n_intervals {
                if interval % 2 == 1 {
                    lints.sync(SyncKind::Block, site(50), block, (0, 0));
                } else if interval > 0 {
                    // Half of each warp, which then is an interval ahead of the others.
                    for warp in 0..n_threads.div_ceil(LANES) {
                        lints.sync(SyncKind::Warp, site(51), block, (warp, 0xffff));
                    }
                }
                for t in 0..n_threads {
                    for access in thread(block, interval, t) {
                        if again && lints.access_again(&access) {
                            quick += 1;
                        } else {
                            lints.access(access);
                        }
                    }
                }
            }
            (0..n_threads).for_each(|t| lints.exit(block, t));
        }
        lints.finish()
    });
    (profiles, quick)
}

#[track_caller]
fn same([full, quick]: &[Profile; 2]) {
    assert_eq!(full.lines, quick.lines);
    assert_eq!(full.reports(), quick.reports());
}

#[test]
fn most_accesses_of_a_tile_are_told_quickly() {
    let (profiles, quick) = both((5, 96), 4, |block, interval, t| {
        let own = GLOBAL + block * 4096 + u64::from(interval * 512 + 4 * t);
        let mut all = vec![read(block, t, own)];
        // Those of the second half of the block are more.
        for k in 0..4 + u64::from(t / 48) {
            let at = 0x1000 + 4 * k + u64::from(t % 7) * 128;
            all.push(at_line(2, shared(read(block, t, at))));
        }
        let to = 0x1000 + u64::from(t) * 8;
        all.push(at_line(3, write(shared(read(block, t, to)))));
        all
    });
    same(&profiles);
    let all = 5 * 4 * (96 * 6 + 48);
    assert!(quick > all / 2, "{quick} of {all}");
}

#[test]
fn a_place_with_other_accesses_is_told_in_full() {
    // One place reads and writes, global and shared memory, and begins vectors.
    let (profiles, _) = both((4, 64), 3, |block, _, t| {
        let at = GLOBAL + 16 * u64::from(t);
        let (wide, narrow) = (
            Access {
                align: 16,
                ..read(block, t, at)
            },
            read(block, t, at + 4),
        );
        let mut all = vec![
            read(block, t, at),
            write(read(block, t, at)),
            shared(read(block, t, at)),
        ];
        if t % 3 == 0 {
            all.extend([wide, narrow]);
        }
        all.push(Access {
            kind: AccessClass::Atomic,
            ..read(block, t, at)
        });
        all
    });
    same(&profiles);
}
