//! Parameters: each kind arrives intact, a value is each thread's own, a grid constant is shared by all.

use warploom::device_std::GridConst;
use warploom::prelude::*;
use warploom_harness::device_test::{check, on_each_device};

#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
struct Mixed {
    flag: bool,
    letter: char,
    wide: u64,
    small: i8,
    pair: [f32; 2],
}

#[derive(Clone, Copy, Plain)]
#[repr(C, align(16))]
struct Four([f32; 4]);

#[derive(Clone, Copy, Plain)]
#[repr(C, align(8))]
struct Two([f32; 2]);

#[kernel]
#[allow(clippy::many_single_char_names, reason = "one of each kind")]
fn echo(
    i: Index1D,
    a: i32,
    b: Four,
    c: i8,
    d: f32,
    e: &[u32],
    f: Two,
    g: Mixed,
    mut y: DisjointSlice<[u64; 8]>,
) {
    if let Some(y) = y.get_mut(i) {
        *y = [
            a as u64,
            u64::from(b.0[0].to_bits()) << 32 | u64::from(b.0[3].to_bits()),
            c as u64,
            u64::from(d.to_bits()),
            u64::from(e[2]) << 32 | e.len() as u64,
            u64::from(f.0[0].to_bits()) << 32 | u64::from(f.0[1].to_bits()),
            u64::from(g.flag) << 32 | u64::from(u32::from(g.letter)),
            g.wide ^ g.small as u64 ^ u64::from(g.pair[1].to_bits()),
        ];
    }
}

//@ rows: GLA-12, GLA-15, KC-5
#[test]
fn a_mixed_signature_arrives_intact() {
    let bits = |x: f32| u64::from(x.to_bits());
    let expected = [
        -7i64 as u64,
        bits(1.5) << 32 | bits(-4.25),
        -3i64 as u64,
        bits(0.1),
        9 << 32 | 3,
        bits(6.0) << 32 | bits(7.5),
        1 << 32 | u64::from(u32::from('√')),
        0x0123_4567_89ab_cdef ^ -100i64 as u64 ^ bits(2.75),
    ];
    check(&[expected; 70], |device, stream| {
        let e = device.upload(&[7u32, 8, 9])?;
        let mut y = device.zeroed(70)?;
        let g = Mixed {
            flag: true,
            letter: '√',
            wide: 0x0123_4567_89ab_cdef,
            small: -100,
            pair: [0.0, 2.75],
        };
        let (b, f) = (Four([1.5, 2.0, 3.0, -4.25]), Two([6.0, 7.5]));
        echo::launch(stream, (2, 35), -7, b, -3, 0.1, &e, f, g, &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

/// Large enough that no register holds it.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
pub(crate) struct Table {
    pub(crate) entries: [u32; 300],
}

pub(crate) fn table(seed: u32) -> Table {
    Table {
        entries: std::array::from_fn(|i| seed + i as u32 * i as u32),
    }
}

#[inline(never)]
pub(crate) fn look_up(table: &Table, i: usize) -> u32 {
    table.entries[i % 300]
}

#[kernel]
fn private(i: Index1D, table: Table, mut y: DisjointSlice<u32>) {
    let mut table = table;
    // Each thread changes its own.
    table.entries[i.get() % 300] += 1000;
    table.entries[(i.get() + 1) % 300] = 5;
    let sum =
        look_up(&table, i.get()) + look_up(&table, i.get() + 1) + look_up(&table, i.get() + 2);
    if let Some(y) = y.get_mut(i) {
        *y = sum;
    }
}

//@ rows: AN-8, P-02
#[test]
fn a_value_is_each_threads_own() {
    let expected: Vec<u32> = (0..500u32)
        .map(|i| {
            let at = |i: u32| 7 + (i % 300) * (i % 300);
            at(i) + 1000 + 5 + at(i + 2)
        })
        .collect();
    check(&expected, |device, stream| {
        let mut y = device.zeroed(500)?;
        private::launch(stream, (5, 100), table(7), &mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[kernel]
fn constant(
    i: Index1D,
    before: u32,
    table: GridConst<Table>,
    after: GridConst<[u64; 3]>,
    mut y: DisjointSlice<[u64; 4]>,
) {
    let at = core::ptr::from_ref(&*table).addr() as u64;
    if let Some(y) = y.get_mut(i) {
        *y = [
            at,
            core::ptr::from_ref(after.get()).addr() as u64,
            u64::from(look_up(&table, i.get()) + before),
            after[i.get() % 3],
        ];
    }
}

//@ rows: AN-7
#[test]
fn all_threads_read_a_grid_constant_at_one_place() {
    on_each_device(|device, stream| {
        let mut y = device.zeroed(700)?;
        constant::launch(stream, (7, 100), 4, table(9), [10, 20, 30], &mut y)?;
        let seen = y.to_vec(stream)?;
        for (i, [table, after, value, other]) in seen.iter().enumerate() {
            assert_eq!((*table, *after), (seen[0][0], seen[0][1]), "thread {i}");
            let k = i as u64 % 300;
            assert_eq!((*value, *other), (13 + k * k, 10 * (1 + i as u64 % 3)));
        }
        assert_ne!(seen[0][0], seen[0][1]);
        // Another launch has another value.
        constant::launch(stream, (7, 100), 0, table(1), [1, 2, 3], &mut y)?;
        assert_eq!(y.to_vec(stream)?[2][2..], [5, 3]);
        Ok(())
    });
}
