//! Stores that come before a load which their thread makes first: load buffering.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use warploom::Result;
use warploom::prelude::*;

use crate::{is_right, is_right_in_order, is_wrong};

/// Block 0 reads a slot and gives it back; block 1 puts 9 into it then.
#[kernel]
fn give_back<const BUG: bool>(
    block: Block,
    slot: &[AtomicU32],
    is_free: &[AtomicU32],
    taken: &[AtomicU32],
) {
    let (releases, acquires) = match BUG {
        true => (Relaxed, Relaxed),
        false => (Release, Acquire),
    };
    let (slot, is_free) = (&slot[0], &is_free[0]);
    if block.index() == 0 {
        let item = slot.load(Relaxed);
        is_free.store(1, releases);
        taken[0].store(item, Relaxed);
    } else if is_free.load(acquires) == 1 {
        slot.store(9, Relaxed);
    }
}

pub(crate) fn given_back<const BUG: bool>(device: &Device) -> Result<()> {
    let stream = device.stream()?;
    let (mut slot, mut is_free) = (device.zeroed::<u32>(1)?, device.zeroed::<u32>(1)?);
    let mut taken = device.zeroed::<u32>(1)?;
    let (slot, is_free) = (slot.as_atomic(), is_free.as_atomic());
    give_back::<BUG>::launch(&stream, (2, 1), slot, is_free, taken.as_atomic())?;
    assert_eq!(taken.to_vec(&stream)?, [0], "the next item was taken");
    Ok(())
}

#[test]
fn a_slot_that_is_given_back_before_it_is_read() {
    let failure = is_wrong(given_back::<true>, "the next item was taken");
    assert_eq!((failure.early_stores, failure.old_loads), (1, 0));
    let text = failure.to_string();
    for part in [
        "1 store that comes early",
        "orders",
        "before the load before it",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    is_right_in_order(given_back::<true>);
    is_right(given_back::<false>);
}

/// Each block hands on what it reads: a value that no block makes up is read by none.
#[kernel]
fn hand_on(block: Block, places: &[AtomicU32]) {
    let [a, b] = [&places[0], &places[1]];
    let (from, to) = if block.index() == 0 { (a, b) } else { (b, a) };
    let value = from.load(Relaxed);
    to.store(value, Relaxed);
}

#[test]
fn no_value_comes_out_of_thin_air() {
    is_right(|device| {
        let stream = device.stream()?;
        let mut places = device.zeroed::<u32>(2)?;
        hand_on::launch(&stream, (2, 1), places.as_atomic())?;
        assert_eq!(places.to_vec(&stream)?, [0, 0]);
        Ok(())
    });
}
