//! Stores that come before others which were made earlier, in the modification order: what stays in memory, and what they release.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use warploom::Result;
use warploom::prelude::*;
use warploom::testing::{Exploration, Strategy};

use crate::{failure_of, is_right, is_right_in_order, is_wrong};

/// Block 0 puts an item into a box and says so; block 1 takes it and empties the box.
#[kernel]
fn empty<const BUG: bool>(block: Block, items: &[AtomicU32], full: &[AtomicU32]) {
    let (releases, acquires) = match BUG {
        true => (Relaxed, Relaxed),
        false => (Release, Acquire),
    };
    if block.index() == 0 {
        items[0].store(7, Relaxed);
        full[0].store(1, releases);
    } else if full[0].load(acquires) == 1 {
        items[0].store(0, Relaxed);
        full[0].store(2, Relaxed);
    }
}

pub(crate) fn emptied<const BUG: bool>(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    let (mut items, mut full) = (device.zeroed::<u32>(1)?, device.zeroed::<u32>(1)?);
    let launch = Launch::new(2, 1);
    empty::<BUG>::launch(&stream, launch, items.as_atomic(), full.as_atomic())?;
    if full.to_vec(&stream)?[0] == 2 {
        assert_eq!(items.to_vec(&stream)?, [0], "the item is there still");
    }
    Ok(())
}

#[test]
fn a_box_that_is_emptied_before_it_is_filled() {
    let failure = is_wrong(emptied::<true>, "the item is there still");
    assert_eq!((failure.early_stores, failure.old_loads), (1, 0));
    let text = failure.to_string();
    for part in [
        "1 store that comes early",
        "writes items  0 -> 0, though 7 is newer",
        "1.0@1~1",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(failure.page.contains("class=\"old\""), "{}", failure.page);
    is_right_in_order(emptied::<true>);
    is_right(emptied::<false>);
}

/// Block 0 releases one word after the other, then says without order that both are there. Block 1 changes the flag behind the older release or behind the newer one: it knows the first word, and the second
/// only behind the newer one.
#[kernel]
fn change_behind<const SECOND: bool>(
    block: Block,
    flags: &[AtomicU32],
    mut words: DisjointSlice<u32>,
    seen: &[AtomicU32],
) {
    let words = words.raw();
    if block.index() == 0 {
        for number in 0..2 {
            // SAFETY: there are two words.
            let word = unsafe { words.add(number) };
            // SAFETY: a race where the test says so.
            unsafe { word.write(5) };
            flags[0].store(number as u32 + 1, Release);
        }
        flags[1].store(1, Relaxed);
    } else if flags[1].load(Relaxed) == 1 && flags[0].fetch_add(8, AcqRel) == 1 {
        // SAFETY: as above.
        let word = unsafe { words.add(usize::from(SECOND)) };
        // SAFETY: as above.
        seen[0].store(unsafe { word.read() }, Relaxed);
    }
}

fn changes_behind<const SECOND: bool>(device: &Device) -> Result<[u32; 2]> {
    let stream = device.stream()?;
    let (mut flags, mut words) = (device.zeroed::<u32>(2)?, device.zeroed::<u32>(2)?);
    let mut seen = device.zeroed::<u32>(1)?;
    change_behind::<SECOND>::launch(
        &stream,
        Launch::new(2, 1),
        flags.as_atomic(),
        &mut words,
        seen.as_atomic(),
    )?;
    Ok([flags.to_vec(&stream)?[0], seen.to_vec(&stream)?[0]])
}

#[test]
fn a_change_behind_an_older_release_acquires_that_and_no_more() {
    let seen = RefCell::new(BTreeSet::new());
    is_right(|device| {
        seen.borrow_mut().insert(changes_behind::<false>(device)?);
        Ok(())
    });
    let expected = [[2, 0], [2, 5], [10, 0]];
    assert_eq!(seen.into_inner(), BTreeSet::from(expected));
    let failure = failure_of(Exploration::new().run(|device| {
        changes_behind::<true>(device)?;
        Ok(())
    }));
    assert!(failure.message.contains("WL012"), "{failure}");
    assert_eq!(failure.early_stores, 1, "{failure}");
}

/// Block 1 releases a word by a store of 1, perhaps before the 2 of block 0, which releases nothing. Block 2 waits until both are made, and reads the word if it acquires `WANTED`.
#[kernel]
fn release_before<const WANTED: u32>(
    block: Block,
    flags: &[AtomicU32],
    mut words: DisjointSlice<u32>,
    seen: &[AtomicU32],
) {
    let word = words.raw();
    match block.index() {
        0 => {
            flags[0].store(2, Relaxed);
            flags[1].store(1, Relaxed);
        }
        1 => {
            while flags[1].load(Relaxed) == 0 {}
            // SAFETY: there is a word; a race where the test says so.
            unsafe { word.write(5) };
            flags[0].store(1, Release);
            flags[2].store(1, Relaxed);
        }
        _ => {
            while flags[2].load(Relaxed) == 0 {}
            if flags[0].load(Acquire) == WANTED {
                // SAFETY: as above.
                seen[0].store(unsafe { word.read() }, Relaxed);
            }
        }
    }
}

/// What the flag is in the end, and what block 2 read; an error counts if the flag is this.
fn releases_before<const WANTED: u32>(device: &Device, last: Option<u32>) -> Result<[u32; 2]> {
    let stream = device.stream()?;
    let (mut flags, mut words) = (device.zeroed::<u32>(3)?, device.zeroed::<u32>(1)?);
    let mut seen = device.zeroed::<u32>(1)?;
    release_before::<WANTED>::launch(
        &stream,
        Launch::new(3, 1),
        flags.as_atomic(),
        &mut words,
        seen.as_atomic(),
    )?;
    let checked = stream.synchronize();
    let flag = flags.to_vec(&stream)?[0];
    if last.is_none_or(|last| last == flag) {
        checked?;
    }
    Ok([flag, seen.to_vec(&stream)?[0]])
}

#[test]
fn a_release_before_a_newer_store_is_acquired_by_who_reads_it() {
    let seen = RefCell::new(BTreeSet::new());
    is_right(|device| {
        let left = releases_before::<1>(device, None)?;
        seen.borrow_mut().insert(left);
        Ok(())
    });
    // If the 1 is the last, block 2 may read 2 all the same, and the 1 before the 2 likewise.
    let expected = [[1, 0], [1, 5], [2, 0], [2, 5]];
    assert_eq!(seen.into_inner(), BTreeSet::from(expected));
}

#[test]
fn a_store_that_stays_releases_nothing_of_those_before_it() {
    let exploration = Exploration::new().strategy(Strategy::Exhaustive);
    let failure = failure_of(exploration.run(|device| {
        releases_before::<2>(device, Some(2))?;
        Ok(())
    }));
    assert!(failure.message.contains("WL01"), "{failure}");
    assert_eq!((failure.early_stores, failure.old_loads), (1, 0));
}
