//! What a launch has accessed of buffers, for later launches and the host.
//!
//! It is looked up in the tables of the run when something is compared with it, and those are kept until then: most launches are waited for before anything is.

use std::ops::Range;
use std::panic::Location;
use std::sync::Arc;

use super::shadow::{POOL_LIMIT, Splits, Table};
use super::slot::AccessKind;
use super::touch::Touch;

/// Launches that are kept, and pieces of all of them: further ones take the place of the oldest.
const MOST: (usize, usize) = (64, 1 << 20);

/// Launches that the host has not waited for, in the order in which they ran.
#[derive(Debug, Default)]
pub(super) struct Footprints {
    all: Vec<Footprint>,
    /// Where the pieces of the latest of them are looked up when they are asked for; it has none until then.
    latest: Option<Tables>,
}

/// What one launch has accessed.
#[derive(Debug)]
pub(super) struct Footprint {
    pub(super) stream: u64,
    pub(super) number: u64,
    pub(super) kernel: &'static str,
    pub(super) launched_at: &'static Location<'static>,
    /// By address.
    pub(super) pieces: Vec<Piece>,
}

/// Bytes of one allocation that were accessed in the same way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    /// Of the allocation.
    pub(super) serial: u64,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) touch: Touch,
}

/// What a run that is over remembers of buffers.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) buffers: Vec<Buffer>,
    /// Owns what their granules point to.
    pub(super) splits: Arc<Splits>,
    /// All times of the run are at or above it.
    pub(super) t0: u32,
    /// A time above all of them.
    pub(super) high: u32,
}

/// What is remembered of one allocation, or of the part of it that the run could access.
#[derive(Debug)]
pub(super) struct Buffer {
    pub(super) serial: u64,
    pub(super) base: usize,
    /// 2 to this power is the length of a granule.
    pub(super) granule: u32,
    pub(super) table: Table,
}

impl Footprints {
    /// All that are kept, with their pieces.
    pub(super) fn look_up(&mut self) -> &[Footprint] {
        if let (Some(tables), Some(latest)) = (self.latest.take(), self.all.last_mut()) {
            latest.pieces = tables.pieces();
            self.make_room();
        }
        &self.all
    }

    /// The same, if there is one of which `is` says so by its place among the others.
    pub(super) fn look_up_if(&mut self, is: impl Fn(&Footprint) -> bool) -> &[Footprint] {
        match self.all.iter().any(is) {
            true => self.look_up(),
            false => &[],
        }
    }

    /// A launch has run. `tables`: in which its pieces are to be looked up; it has them otherwise.
    pub(super) fn add(&mut self, launch: Footprint, tables: Option<Tables>) {
        self.look_up();
        if self.all.len() >= MOST.0 {
            self.all.remove(0);
        }
        let is_large = tables.as_ref().is_some_and(Tables::is_large);
        self.all.push(launch);
        self.latest = tables;
        if is_large {
            self.look_up();
        } else if self.latest.is_none() {
            self.make_room();
        }
    }

    /// All of them are over.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    fn make_room(&mut self) {
        let n_pieces = |all: &[Footprint]| all.iter().map(|one| one.pieces.len()).sum::<usize>();
        while self.all.len() > 1 && n_pieces(&self.all) > MOST.1 {
            self.all.remove(0);
        }
    }
}

impl Tables {
    /// Whether they hold so much memory that it is given back at once.
    fn is_large(&self) -> bool {
        let chunks = self.buffers.iter().map(|buffer| buffer.table.n_chunks());
        chunks.sum::<usize>() > POOL_LIMIT
    }

    /// What the run has accessed, by address.
    pub(super) fn pieces(&self) -> Vec<Piece> {
        let mut all = Vec::new();
        for buffer in &self.buffers {
            buffer.add_pieces(&mut all, self.t0);
        }
        all.sort_unstable_by_key(|piece: &Piece| piece.start);
        all
    }
}

impl Drop for Tables {
    fn drop(&mut self) {
        for buffer in &mut self.buffers {
            buffer.table.retire(self.high, &self.splits);
        }
    }
}

impl Buffer {
    fn add_pieces(&self, all: &mut Vec<Piece>, t0: u32) {
        let tell = |granules: Range<usize>, byte: Option<usize>, touch| {
            let start = self.base + (granules.start << self.granule) + byte.unwrap_or(0);
            let end = byte.map_or(self.base + (granules.end << self.granule), |_| start + 1);
            let (serial, last) = (self.serial, all.last_mut());
            match last {
                Some(last) if (last.serial, last.end, last.touch) == (serial, start, touch) => {
                    last.end = end;
                }
                _ => all.push(Piece {
                    serial,
                    start,
                    end,
                    touch,
                }),
            }
        };
        // SAFETY: the run is over.
        unsafe { self.table.each_touch(t0, tell) };
    }
}

impl Footprint {
    /// Whether a clock says that the launch is over.
    pub(super) fn is_in(&self, clock: &[(u64, u64)]) -> bool {
        let latest = clock.iter().find(|(stream, _)| *stream == self.stream);
        latest.is_some_and(|(_, number)| self.number <= *number)
    }

    /// The kernel and the launch, in words.
    pub(super) fn name(&self) -> String {
        format!("kernel `{}`, launched at {}", self.kernel, self.launched_at)
    }

    /// An access in a range of addresses that a read of the host, or a write, races with.
    pub(super) fn touches(
        &self,
        range: &Range<usize>,
        writes: bool,
    ) -> Option<(&Piece, AccessKind)> {
        // Those of an allocation lie side by side, in the order of addresses.
        let from = self.pieces.partition_point(|one| one.end <= range.start);
        let those = self.pieces[from..].iter();
        those
            .take_while(|one| one.start < range.end)
            .find_map(|one| Some((one, one.touch.races_with_host(writes)?)))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::shadow::CHUNK;
    use super::super::slot::Slot;
    use super::*;

    fn launch(number: u64) -> Footprint {
        Footprint {
            stream: 1,
            number,
            kernel: "",
            launched_at: Location::caller(),
            pieces: Vec::new(),
        }
    }

    /// Tables of a buffer at 4096 of which the second word was written, and which has so many chunks besides.
    fn tables(chunks: usize) -> Tables {
        let table = Table::new((chunks + 1) * CHUNK);
        let what = AccessKind::new(AccessKind::WRITE, 3);
        let (who, t) = (0, 1);
        table.entry(1, 1).slots[0].set(Slot { who, t, what });
        table.entry(1, 1).set_epoch(7);
        (1..=chunks).for_each(|chunk| table.entry(chunk * CHUNK, 1).set_epoch(0));
        let buffer = Buffer {
            serial: 1,
            base: 4096,
            granule: 2,
            table,
        };
        Tables {
            buffers: vec![buffer],
            splits: Arc::default(),
            t0: 1,
            high: 2,
        }
    }

    fn ranges(all: &[Footprint]) -> Vec<Vec<(usize, usize)>> {
        let pieces = |one: &Footprint| one.pieces.iter().map(|one| (one.start, one.end)).collect();
        all.iter().map(pieces).collect()
    }

    #[test]
    fn what_the_latest_launch_accessed_is_looked_up_when_it_is_asked_for() {
        let mut all = Footprints::default();
        all.add(launch(1), Some(tables(0)));
        assert_eq!(ranges(&all.all), [vec![]]);
        assert_eq!(
            ranges(all.look_up_if(|one| one.number > 1)),
            Vec::<Vec<_>>::new()
        );
        assert_eq!(ranges(&all.all), [vec![]], "nothing is compared with it");
        assert_eq!(
            ranges(all.look_up_if(|one| one.number > 0)),
            [vec![(4100, 4104)]]
        );
    }

    #[test]
    fn what_a_launch_accessed_is_looked_up_before_the_next_is_kept() {
        let mut all = Footprints::default();
        all.add(launch(1), Some(tables(0)));
        all.add(launch(2), Some(tables(0)));
        assert_eq!(ranges(&all.all), [vec![(4100, 4104)], vec![]]);
        assert_eq!(
            ranges(all.look_up()),
            [vec![(4100, 4104)], vec![(4100, 4104)]]
        );
    }

    #[test]
    fn tables_that_take_much_memory_are_not_kept() {
        let mut all = Footprints::default();
        all.add(launch(1), Some(tables(POOL_LIMIT)));
        assert!(all.latest.is_none());
        assert_eq!(ranges(&all.all), [vec![(4100, 4104)]]);
    }

    #[test]
    fn the_oldest_launches_make_room() {
        let mut all = Footprints::default();
        (0..MOST.0 as u64 + 2).for_each(|number| all.add(launch(number), Some(tables(0))));
        let kept = all.look_up();
        assert_eq!((kept.len(), kept[0].number), (MOST.0, 2));
    }
}
