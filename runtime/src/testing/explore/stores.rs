//! The modification order of each piece of memory, and which place in it an access may take that it can take in no other order of the steps.
//!
//! An access that reads an older store, or that comes right behind one in the modification order (`older` below), does nothing that it would not do before the newer stores are made. So it is enough
//! to let it do that where it cannot come before one of those. What it cannot come before is what happens before it, and what has to happen before it so that everything else stays as it is:
//!
//! - what its thread knows, by all but the order of the accesses of this memory;
//! - the stores up to the older one, and what happens before them;
//! - if it is a write, the loads of those stores, and what happens before them: a load before it would otherwise come behind it, and read what is older.
//!
//! Of all orders of steps with the same values read and the same modification orders, take one in which the fewest pairs of accesses of one piece of memory are the other way round than in its modification order,
//! counting a load as right behind the store that it reads. In that one every access comes behind all newer stores that it does not read: if one of those were not in the
//! list above, then all of the list could be made first, the access next, and the rest in the order that it had. That order has fewer such pairs. So every result is reached.

use std::collections::HashMap;

use warploom_emulator::check::{PendingAccess, ReadableStore};

use super::execution::Step;
use super::order::{Order, join};

/// Stores that are kept of a piece of memory one by one: more than the emulator lets an access choose from.
const KEPT: usize = 16;

/// A store.
#[derive(Debug, Clone, Default)]
struct Store {
    /// Which access of the launch it was; `None`: what was there before.
    access: Option<u64>,
    /// What happens before its end.
    made: Vec<u32>,
    /// What happens before the end of a load of it.
    read: Vec<u32>,
}

/// The stores of a launch, by address and size: the first is what was there before, or all that are not kept one by one.
#[derive(Debug, Default)]
pub(super) struct Stores(HashMap<(usize, u32), Vec<Store>>);

fn key(access: &PendingAccess) -> (usize, u32) {
    (access.address, access.bytes)
}

/// Where that store is.
fn place(stores: &[Store], access: Option<u64>) -> usize {
    let found = stores.iter().rposition(|store| store.access == access);
    found.unwrap_or(0)
}

impl Stores {
    /// How many of these stores, the newest first, the step has to choose from. `known`: what its thread knows by all but the order of this memory; `steps`: those of the launch.
    pub(super) fn choices(
        &self,
        step: &Step,
        stores: &[ReadableStore],
        known: &[u32],
        (order, steps): (&Order, &[Step]),
    ) -> usize {
        let none = Vec::new();
        let all = self.0.get(&key(&step.access)).unwrap_or(&none);
        let comes_after = |clock: &[u32], access: Option<u64>| {
            let step = access.and_then(|access| steps.get(access as usize));
            step.is_none_or(|step| order.knows(clock, step))
        };
        let is_needed = |older: &&ReadableStore| {
            let place = place(all, older.access);
            let mut clock = known.to_vec();
            for store in all.iter().take(place + 1) {
                join(&mut clock, &store.made);
                if step.access.writes {
                    join(&mut clock, &store.read);
                }
            }
            let mut newer = all.iter().skip(place + 1);
            newer.all(|store| comes_after(&clock, store.access))
        };
        1 + stores.iter().skip(1).take_while(is_needed).count()
    }

    /// The step was made that access number `number` of the launch is, with `after` happening before its end; `chosen`: the store that it read or came behind, if not the newest one.
    pub(super) fn made(
        &mut self,
        (step, number): (&Step, u64),
        chosen: Option<Option<u64>>,
        after: &[u32],
    ) {
        if step.access.bytes == 0 {
            return; // a fence
        }
        let stores = self.0.entry(key(&step.access));
        let stores = stores.or_insert_with(|| vec![Store::default()]);
        let newest = stores.len() - 1;
        let place = chosen.map_or(newest, |access| place(stores, access));
        if !step.made.is_store {
            return join(&mut stores[place].read, after);
        }
        let store = Store {
            access: Some(number),
            made: after.to_vec(),
            read: Vec::new(),
        };
        stores.insert(place + 1, store);
        if stores.len() > KEPT {
            let oldest = stores.remove(1);
            join(&mut stores[0].made, &oldest.made);
            join(&mut stores[0].read, &oldest.read);
        }
    }
}
