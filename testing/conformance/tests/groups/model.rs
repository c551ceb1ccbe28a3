//! What groups are to see, written without groups.

/// Numbers without pattern.
pub(crate) fn noise(i: u32) -> u32 {
    let mut x = i.wrapping_add(0x9E37_79B9);
    x = (x ^ x >> 16).wrapping_mul(0x21F0_AAAD);
    x = (x ^ x >> 15).wrapping_mul(0x735A_2D97);
    x ^ x >> 15
}

/// What one thread of a group sees; `members` are the values of the group by rank, `None` for those that are not there.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) members: &'a [Option<u32>],
    pub(crate) rank: usize,
}

/// What [`crate::tile`] and [`crate::coalesced`] ask of a group, in this order.
pub(crate) const QUESTIONS: usize = 20;

impl View<'_> {
    fn there(&self) -> impl DoubleEndedIterator<Item = (usize, u32)> + Clone + '_ {
        let members = self.members.iter().enumerate();
        members.filter_map(|(rank, v)| v.map(|v| (rank, v)))
    }

    fn ranks(&self, holds: impl Fn(u32) -> bool) -> u32 {
        let holding = self.there().filter(|(_, v)| holds(*v));
        holding.fold(0, |ranks, (rank, _)| ranks | 1 << rank)
    }

    /// The value of `rank`; 0 if there is no such rank.
    fn of(&self, rank: usize) -> u32 {
        self.members[rank].unwrap_or(0)
    }

    pub(crate) fn answers(&self) -> [u32; QUESTIONS] {
        let (rank, size) = (self.rank, self.members.len());
        let own = self.of(rank);
        let fold = |op: fn(u32, u32) -> u32| self.there().map(|(_, v)| v).reduce(op).unwrap_or(0);
        let up_to = |end: usize| {
            let values = self.there().filter(move |(r, _)| *r < end);
            values.map(|(_, v)| v).reduce(u32::wrapping_add)
        };
        let same = self.ranks(|v| v % 3 == own % 3);
        [
            rank as u32,
            size as u32,
            self.of(5 % size),
            self.of(rank.checked_sub(2).unwrap_or(rank)),
            self.of(if rank + 2 < size { rank + 2 } else { rank }),
            self.of(if rank ^ 3 < size { rank ^ 3 } else { rank }),
            self.of((rank * 5 + 1) % size),
            self.ranks(|v| v % 3 == 1),
            u32::from(self.ranks(|v| v % 19 == 1) != 0),
            u32::from(self.ranks(|v| v % 17 == 1) == 0),
            same,
            u32::from(same == self.ranks(|_| true)),
            fold(u32::wrapping_add),
            fold(u32::min),
            fold(|a, b| (a as i32).max(b as i32) as u32),
            fold(|a, b| a & b),
            fold(|a, b| a | b),
            fold(|a, b| a ^ b),
            up_to(rank + 1).unwrap_or(0),
            up_to(rank).unwrap_or(77),
        ]
    }
}
