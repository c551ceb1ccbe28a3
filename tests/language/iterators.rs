//! Iterator chains, which rustc turns into loops.

use crate::{N, agree, noise};

/// At most `n` elements from `i` on.
fn ahead(x: &[u32], i: usize, n: usize) -> &[u32] {
    &x[i..x.len().min(i + n)]
}

fn folds(x: &[u32], i: usize) -> [u32; 4] {
    let part = ahead(x, i, 23);
    [
        part.iter()
            .rev()
            .fold(7, |sum: u32, &v| sum.wrapping_mul(31).wrapping_add(v)),
        part.iter().map(|v| v >> 8).sum(),
        part.iter().map(|v| v % 3 + 1).take(12).product(),
        part.iter().copied().reduce(|a, b| a.max(b)).unwrap_or(0),
    ]
}

#[test]
fn folds_and_sums() {
    agree(&noise(N), folds);
}

fn pairs(x: &[u32], i: usize) -> [u32; 5] {
    let part = ahead(x, i, 40);
    let add = |sum: u32, v: u32| sum.wrapping_add(v);
    [
        part.iter()
            .zip(x.iter().rev())
            .map(|(a, b)| a ^ b)
            .fold(0, add),
        part.chunks_exact(3)
            .map(|c| c[0].wrapping_mul(c[1]) ^ c[2])
            .fold(0, add),
        part.chunks_exact(7)
            .remainder()
            .iter()
            .copied()
            .fold(1, add),
        part.windows(4)
            .filter(|w| w[0] < w[3])
            .map(|w| w[1])
            .fold(0, add),
        part.chunks(6)
            .zip(part.rchunks(5))
            .map(|(a, b)| (a.len() * 10 + b.len()) as u32)
            .fold(0, add),
    ]
}

#[test]
fn zips_chunks_and_windows() {
    agree(&noise(N), pairs);
}

fn cuts(x: &[u32], i: usize) -> [u32; 6] {
    let part = ahead(x, i, 31);
    let small = |v: &&u32| **v < u32::MAX / 4 * 3;
    [
        part.iter().step_by(5).fold(0, |sum: u32, v| sum ^ v),
        part.iter().take_while(small).count() as u32,
        part.iter().skip_while(small).count() as u32,
        part.iter()
            .skip(3)
            .step_by(2)
            .take(4)
            .copied()
            .min()
            .unwrap_or(9),
        part.iter()
            .map_while(|v| v.checked_add(1 << 30))
            .fold(0, |a, b| a ^ b),
        (0..i as u32 % 50)
            .rev()
            .step_by(3)
            .filter(|v| v % 2 == 0)
            .sum(),
    ]
}

#[test]
fn steps_and_cuts() {
    agree(&noise(N), cuts);
}

fn searches(x: &[u32], i: usize) -> [u32; 6] {
    let part = ahead(x, i, 29);
    let at = |place: Option<usize>| place.map_or(u32::MAX, |p| p as u32);
    [
        at(part.iter().position(|v| v % 5 == 0)),
        at(part.iter().rposition(|v| v % 5 == 0)),
        u32::from(part.iter().any(|v| v % 11 == 0))
            + 2 * u32::from(part.iter().all(|v| v % 11 > 0)),
        part.iter().copied().min_by_key(|v| v % 1000).unwrap_or(0),
        at(part
            .iter()
            .enumerate()
            .max_by_key(|(_, v)| **v)
            .map(|(k, _)| k)),
        part.iter()
            .find_map(|v| v.checked_sub(3 << 30))
            .unwrap_or(1),
    ]
}

#[test]
fn searches_and_extremes() {
    agree(&noise(N), searches);
}

fn nested(x: &[u32], i: usize) -> [u32; 4] {
    let part = ahead(x, i, 6);
    let mut state = part.iter().scan(1u32, |state, &v| {
        *state = state.wrapping_mul(3) ^ v;
        Some(*state)
    });
    let mut peeking = part.iter().peekable();
    let mut rises = 0;
    while let Some(v) = peeking.next() {
        rises += u32::from(peeking.peek().is_some_and(|next| *next > v));
    }
    [
        state.by_ref().last().unwrap_or(0),
        part.iter()
            .flat_map(|v| (0..v % 4).map(move |k| v >> k))
            .fold(0, |a, b| a ^ b),
        part.iter()
            .chain(&x[..3])
            .cycle()
            .nth(i % 20)
            .copied()
            .unwrap_or(0),
        rises + 100 * std::iter::successors(Some(x[i]), |v| (*v > 1).then(|| v / 2)).count() as u32,
    ]
}

#[test]
fn nested_and_stateful() {
    agree(&noise(N), nested);
}

/// Squares below a limit: an iterator of one's own.
struct Squares(u32);

impl Iterator for Squares {
    type Item = u32;
    fn next(&mut self) -> Option<u32> {
        self.0 += 1;
        (self.0 < 200).then_some(self.0 * self.0)
    }
}

fn own(x: &[u32], i: usize) -> u32 {
    let dynamic: &mut dyn Iterator<Item = u32> = &mut Squares(i as u32 % 180);
    dynamic
        .zip(ahead(x, i, 9))
        .filter(|(a, b)| (a ^ *b) % 2 == 0)
        .map(|(a, _)| a)
        .sum()
}

#[test]
fn an_iterator_of_ones_own() {
    agree(&noise(N), own);
}
