//! Slices of slices, strings and tables that are constants of the program.

use std::fmt::Write;

use crate::{N, agree, noise};

fn halves(x: &[u32], i: usize) -> [u32; 5] {
    let (before, after) = x.split_at(i);
    let tail = after
        .split_first()
        .map_or(0, |(first, rest)| first ^ rest.len() as u32);
    let middle = &x[i / 3..=i / 2];
    let inner = &middle[middle.len() / 4..middle.len() - middle.len() / 4];
    let pieces = [before, inner, &after[after.len() / 2..]];
    [
        tail,
        inner.iter().fold(0, |a, b| a ^ b),
        pieces.iter().map(|p| p.len() as u32).sum(),
        pieces.iter().flat_map(|p| p.first()).fold(1, |a, b| a ^ b),
        x.get(i..i + 10).map_or(5, |p| p[9]),
    ]
}

#[test]
fn slices_of_slices() {
    agree(&noise(N), halves);
}

fn longest_run<'a>(x: &'a [u32], other: &'a [u32]) -> &'a [u32] {
    let run = |s: &'a [u32]| {
        let len = s.windows(2).take_while(|w| w[0] < w[1]).count();
        &s[..s.len().min(len + 1)]
    };
    let (a, b) = (run(x), run(other));
    if a.len() >= b.len() { a } else { b }
}

fn comparisons(x: &[u32], i: usize) -> [u32; 6] {
    let (a, b) = (&x[i..x.len().min(i + 5)], &x[i / 2..i / 2 + 5]);
    let copy: [u32; 5] = b.try_into().unwrap_or([9; 5]);
    let parts: Option<[u32; 2]> = match a {
        [] => None,
        [only] => Some([*only, 0]),
        [first, .., last] => Some([*first, *last]),
    };
    [
        u32::from(a == b) + 2 * u32::from(a < b),
        longest_run(a, b).len() as u32,
        u32::from(x.starts_with(b)) + 2 * u32::from(copy == *b),
        parts.map_or(1, |[f, l]| f ^ l),
        a.iter().max().copied().unwrap_or(0),
        u32::from(b.contains(&x[i])) + 2 * u32::from(a.is_sorted()),
    ]
}

#[test]
fn comparisons_and_patterns() {
    agree(&noise(N), comparisons);
}

fn on_the_stack(x: &[u32], i: usize) -> [u32; 6] {
    let mut copy = [0u32; 24];
    let n = copy.len().min(x.len() - i);
    copy[..n].copy_from_slice(&x[i..i + n]);
    let (left, right) = copy.split_at_mut(11);
    left[3..8].swap_with_slice(&mut right[..5]);
    copy.rotate_left(i % 24);
    copy[1..9].reverse();
    copy.copy_within(4..10, 12);
    let unsorted = copy[x[i] as usize % 24];
    copy.sort_unstable();
    let place = copy.binary_search(&unsorted).unwrap_or(99) as u32;
    let below = copy.partition_point(|v| *v < 1 << 31) as u32;
    copy.sort_by_key_in_place();
    copy[5..7].fill(6);
    for pair in copy.chunks_mut(2) {
        pair.swap(0, 1);
    }
    let end = copy.iter().fold(0u32, |a, b| a.rotate_left(1) ^ b);
    [
        unsorted,
        place,
        below,
        end,
        copy[x[i] as usize % 24],
        copy.iter_mut().map(|v| *v % 2).sum(),
    ]
}

trait InPlace {
    fn sort_by_key_in_place(&mut self);
}
impl InPlace for [u32; 24] {
    fn sort_by_key_in_place(&mut self) {
        self.sort_unstable_by_key(|v| (v % 16, std::cmp::Reverse(*v)));
    }
}

#[test]
fn arrays_on_the_stack() {
    agree(&noise(N), on_the_stack);
}

const fn crc_table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut rest, mut bit) = (byte as u32, 0);
        while bit < 8 {
            rest = if rest & 1 == 1 {
                rest >> 1 ^ 0xedb8_8320
            } else {
                rest >> 1
            };
            bit += 1;
        }
        table[byte] = rest;
        byte += 1;
    }
    table
}

static CRC: [u32; 256] = crc_table();
static ROWS: [&[u16]; 4] = [&[], &[7], &[1, 2, 3], &[500, 400, 300, 200, 100]];
static BOTH: (&[u32; 256], &[&[u16]; 4]) = (&CRC, &ROWS);
const WEIGHTS: [[f32; 3]; 3] = [[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]];

fn tables(x: &[u32], i: usize) -> [u32; 4] {
    let bytes = x[i].to_le_bytes();
    let crc = |table: &[u32; 256]| {
        !bytes
            .iter()
            .fold(!0u32, |crc, b| table[(crc as u8 ^ b) as usize] ^ crc >> 8)
    };
    let row = ROWS[x[i] as usize % 4];
    let weight = WEIGHTS[i % 3][bytes[1] as usize % 3];
    [
        crc(&CRC),
        row.iter().map(|v| u32::from(*v)).sum(),
        weight as u32,
        crc(BOTH.0) ^ BOTH.1[bytes[2] as usize % 4].len() as u32,
    ]
}

#[test]
fn static_tables() {
    agree(&noise(N), tables);
}

/// Constants of a function, each of its own although they have one name.
fn local_tables(x: &[u32], i: usize) -> [u32; 3] {
    fn weight(k: usize) -> u32 {
        static TABLE: [u32; 5] = [3, 1, 4, 1, 5];
        TABLE[k % TABLE.len()]
    }
    fn name(k: usize) -> &'static str {
        static TABLE: [&str; 3] = ["one", "three", "five"];
        TABLE[k % TABLE.len()]
    }
    static TABLE: [u16; 4] = [100, 200, 300, 400];
    let k = x[i] as usize;
    [weight(k), name(k).len() as u32, TABLE[k % 4].into()]
}

//@ rows: GFN-10
#[test]
fn static_tables_of_functions() {
    agree(&noise(N), local_tables);
}

static NAMES: [&str; 5] = ["zero", "one", "zwei", "trois", "µ is two bytes"];

fn number(name: &str) -> u32 {
    match name {
        "zero" => 0,
        "one" => 1,
        "trois" => 3,
        other if other.starts_with("zw") => 2,
        _ => 99,
    }
}

fn texts(x: &[u32], i: usize) -> [u32; 7] {
    let name = NAMES[x[i] as usize % NAMES.len()];
    let bytes = name.as_bytes();
    let list = "17,4,,0x,255,99999999999";
    let field = list.split(',').nth(i % 7).unwrap_or("3");
    [
        number(name),
        u32::from(bytes[i % bytes.len()]),
        name.chars().map(|c| c as u32).sum(),
        field.parse::<u8>().map_or(1000, u32::from),
        name.find('o').map_or(50, |p| p as u32),
        u32::from("ONE".eq_ignore_ascii_case(name)) + name.char_indices().count() as u32,
        std::str::from_utf8(&bytes[..bytes.len().min(i % 4)]).map_or(70, |s| s.len() as u32),
    ]
}

#[test]
fn string_constants() {
    agree(&noise(N), texts);
}

/// A line of text on the stack.
struct Line {
    bytes: [u8; 48],
    len: usize,
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let room = self.bytes[self.len..]
            .get_mut(..text.len())
            .ok_or(std::fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.len += text.len();
        Ok(())
    }
}

fn formatted(x: &[u32], i: usize) -> [u8; 48] {
    let mut line = Line {
        bytes: [b'.'; 48],
        len: 0,
    };
    let v = x[i];
    let written = write!(
        line,
        "{v}|{:>6x}|{:?}|{:+05}",
        v >> 8,
        Some(v as u8),
        v as i8
    );
    if written.is_err() {
        line.bytes[0] = b'!';
    }
    line.bytes
}

#[test]
fn formatting_into_memory_on_the_stack() {
    agree(&noise(N), formatted);
}
