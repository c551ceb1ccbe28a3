//! Sorts by digits against those of the host: all types of keys, lengths around tiles, distributions that strain counters, stability.

use std::cmp::Ordering;
use std::fmt::Debug;

use warploom::Graph;
use warploom::device_std::{Bf16, F16};
use warploom::prelude::*;
use warploom_algorithms::prelude::*;
use warploom_algorithms::{Error, RadixFields, RadixKey, SortPlan};

use crate::{check, noise};

/// Elements of a tile with keys of 4 bytes.
const TILE: usize = SortPlan::<u32>::TILE;

/// Words that share more bits the larger `rounds` is: each round takes those that two words have in common.
fn with_entropy(n: usize, rounds: usize) -> Vec<u32> {
    let mut words = noise(n * (rounds + 1));
    (1..=rounds).for_each(|round| (0..n).for_each(|i| words[i] &= words[round * n + i]));
    words.truncate(n);
    words
}

/// Words as 64 bits each.
fn wide(n: usize) -> Vec<u64> {
    let words = noise(2 * n);
    (0..n)
        .map(|i| u64::from(words[i]) << 32 | u64::from(words[n + i]))
        .collect()
}

/// That `keys` are sorted as `compare` says: bit by bit, as the integers of keys.
#[track_caller]
fn sorts<K: RadixKey<Bits: Debug>>(keys: &[K], compare: impl Fn(&K, &K) -> Ordering) {
    let mut expected = keys.to_vec();
    expected.sort_by(compare);
    let expected: Vec<_> = expected.into_iter().map(K::bits).collect();
    check(&expected, |device, stream| {
        let x = device.upload(keys)?;
        let mut y = device.alloc_uninit(keys.len())?;
        stream.sort(&x).into(&mut y)?;
        Ok(y.to_vec(stream)?.into_iter().map(K::bits).collect())
    });
}

/// What the values of a sort of pairs must be, if they are the keys' numbers.
fn stable_order<K: RadixKey>(keys: &[K], descending: bool) -> Vec<u32> {
    let mut order: Vec<u32> = (0..keys.len() as u32).collect();
    let bits = |i: u32| keys[i as usize].bits();
    order.sort_by(|&a, &b| {
        if descending {
            bits(b).cmp(&bits(a))
        } else {
            bits(a).cmp(&bits(b))
        }
    });
    order
}

/// That pairs of `keys` and their numbers are sorted stably.
#[track_caller]
fn sorts_pairs<K: RadixKey>(keys: &[K], descending: bool) {
    let expected = stable_order(keys, descending);
    check(&expected, |device, stream| {
        let (x, i) = (
            device.upload(keys)?,
            device.upload(&(0..keys.len() as u32).collect::<Vec<_>>())?,
        );
        let (mut y, mut order) = (
            device.alloc_uninit(keys.len())?,
            device.alloc_uninit(keys.len())?,
        );
        let sort = stream.sort_pairs(&x, &i);
        let sort = if descending { sort.descending() } else { sort };
        sort.into(&mut y, &mut order)?;
        let order = order.to_vec(stream)?;
        for (key, &i) in y.to_vec(stream)?.into_iter().zip(&order) {
            assert!(
                key.bits() == keys[i as usize].bits(),
                "{}: the key of value {i}",
                device.name()
            );
        }
        Ok(order)
    });
}

#[test]
fn lengths_around_tiles() {
    let tile = TILE;
    for n in [0, 1, 2, 31, 32, 33, 383, 384, 385] {
        sorts(&noise(n), u32::cmp);
    }
    for n in [tile - 1, tile, tile + 1, 2 * tile, 2 * tile + 1, 100_003] {
        sorts(&noise(n), u32::cmp);
    }
}

#[test]
fn unsigned_keys_of_every_size() {
    let wide = wide(20_001);
    sorts(&wide.iter().map(|&x| x as u8).collect::<Vec<_>>(), u8::cmp);
    sorts(
        &wide.iter().map(|&x| x as u16).collect::<Vec<_>>(),
        u16::cmp,
    );
    sorts(&wide, u64::cmp);
    let wider: Vec<_> = wide
        .iter()
        .map(|&x| u128::from(x) << 64 | u128::from(x.rotate_left(20)))
        .collect();
    sorts(&wider, u128::cmp);
}

#[test]
fn signed_keys_of_every_size() {
    let wide = wide(20_001);
    sorts(&wide.iter().map(|&x| x as i8).collect::<Vec<_>>(), i8::cmp);
    sorts(
        &wide.iter().map(|&x| x as i16).collect::<Vec<_>>(),
        i16::cmp,
    );
    sorts(
        &wide.iter().map(|&x| x as i32).collect::<Vec<_>>(),
        i32::cmp,
    );
    sorts(
        &wide.iter().map(|&x| x as i64).collect::<Vec<_>>(),
        i64::cmp,
    );
}

/// All bit patterns at random: NaN of both signs, infinities and subnormal numbers are among them.
#[test]
fn floats_in_the_total_order() {
    let wide = wide(20_001);
    let of_16 = |x: &u64| *x as u16;
    let f16: Vec<_> = wide.iter().map(of_16).map(F16::from_bits).collect();
    sorts(&f16, F16::total_cmp);
    let bf16: Vec<_> = wide.iter().map(of_16).map(Bf16::from_bits).collect();
    sorts(&bf16, Bf16::total_cmp);
    let special = [0.0, -0.0, f32::NAN, -f32::NAN, f32::INFINITY];
    let f32: Vec<_> = wide.iter().map(|&x| f32::from_bits(x as u32)).collect();
    sorts(&[&f32[..], &special, &special].concat(), f32::total_cmp);
    let f64: Vec<_> = wide.iter().map(|&x| f64::from_bits(x)).collect();
    let special = special.map(f64::from);
    sorts(&[&f64[..], &special, &special].concat(), f64::total_cmp);
}

#[test]
fn of_two_elements_the_first_counts_most() {
    let keys: Vec<_> = wide(9000)
        .iter()
        .map(|&x| [(x % 7) as i32 - 3, (x >> 32) as i32])
        .collect();
    sorts(&keys, <[i32; 2]>::cmp);
}

/// A key of two fields, and one that does not count.
#[derive(Clone, Copy, Plain)]
#[repr(C)]
struct Event {
    time: f32,
    number: u16,
    cell: i16,
}

// SAFETY: computed from the fields.
unsafe impl RadixKey for Event {
    type Bits = u64;

    fn bits(self) -> u64 {
        (self.cell, self.time).side_by_side() as u64
    }
}

#[test]
fn structs_by_their_fields() {
    let events = Vec::from_iter(noise(5000).iter().zip(0..).map(|(&x, number)| Event {
        time: (x % 16) as f32 - 7.5,
        number,
        cell: (x >> 28) as i16 - 8,
    }));
    let mut expected = events.clone();
    expected.sort_by(|a, b| (a.cell.cmp(&b.cell)).then(a.time.total_cmp(&b.time)));
    let expected = Vec::from_iter(expected.iter().map(|event| event.number));
    check(&expected, |device, stream| {
        let (x, mut y) = (device.upload(&events)?, device.alloc_uninit(5000)?);
        stream.sort(&x).into(&mut y)?;
        Ok(y.to_vec(stream)?.iter().map(|event| event.number).collect())
    });
}

#[test]
fn distributions() {
    let n = 2 * TILE + 100;
    sorts(&vec![0xff00_00ffu32; n], u32::cmp);
    sorts(&(0..n as u32).collect::<Vec<_>>(), u32::cmp);
    sorts(&(0..n as u32).rev().collect::<Vec<_>>(), u32::cmp);
    sorts(
        &(0..n as u32).map(|i| i % 2 * u32::MAX).collect::<Vec<_>>(),
        u32::cmp,
    );
    for rounds in [1, 2, 5] {
        sorts(&with_entropy(n, rounds), u32::cmp);
    }
}

#[test]
fn pairs_are_sorted_stably() {
    let tile = SortPlan::<u32, u32>::PAIRS_TILE;
    for n in [1, 1000, tile - 1, tile, tile + 1, 2 * tile + 1, 30_000] {
        let keys = with_entropy(n, 3);
        sorts_pairs(&keys, false);
        sorts_pairs(&keys, true);
    }
    let keys: Vec<_> = with_entropy(30_000, 2).iter().map(|&x| x as u8).collect();
    sorts_pairs(&keys, false);
    let keys: Vec<_> = wide(30_000)
        .iter()
        .map(|x| (x % 1000) as i64 - 500)
        .collect();
    sorts_pairs(&keys, true);
}

#[test]
fn descending_is_the_reverse_of_distinct_keys() {
    let mut expected = wide(3 * SortPlan::<u64>::TILE + 5);
    let keys = expected.clone();
    expected.sort_by(|a, b| b.cmp(a));
    check(&expected, |device, stream| {
        let x = device.upload(&keys)?;
        let mut y = device.alloc_uninit(keys.len())?;
        stream.sort(&x).descending().into(&mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[test]
fn by_some_bits_alone() {
    for n in [500, 20_000] {
        let keys = noise(n);
        for bits in [0..0, 0..1, 3..9, 8..24, 20..32, 31..32] {
            let mut expected = keys.clone();
            let mask = (1u64 << bits.len()) as u32 - 1;
            expected.sort_by_key(|x| x.checked_shr(bits.start).unwrap_or(0) & mask);
            check(&expected, |device, stream| {
                let x = device.upload(&keys)?;
                let mut y = device.alloc_uninit(n)?;
                stream.sort(&x).bits(bits.clone()).into(&mut y)?;
                Ok(y.to_vec(stream)?)
            });
        }
    }
}

/// More than 8 bytes: not exchanged in shared memory.
#[test]
fn values_of_any_size() {
    fn check_values<V: Plain + PartialEq + Debug>(n: usize, value: impl Fn(u32) -> V) {
        let keys = with_entropy(n, 3);
        let values: Vec<_> = (0..n as u32).map(value).collect();
        let order = stable_order(&keys, false);
        let expected: Vec<_> = order.iter().map(|&i| values[i as usize]).collect();
        check(&expected, |device, stream| {
            let (x, v) = (device.upload(&keys)?, device.upload(&values)?);
            let (mut y, mut w) = (device.alloc_uninit(n)?, device.alloc_uninit(n)?);
            stream.sort_pairs(&x, &v).into(&mut y, &mut w)?;
            Ok(w.to_vec(stream)?)
        });
    }
    for n in [777, 30_000] {
        check_values(n, |i| i as u8);
        check_values(n, |i| u64::from(i) << 20);
        check_values(n, |i| [i; 3]);
        check_values(n, |i| [u64::from(i); 5]);
    }
}

/// Each row of the table of tunings: all sizes of keys with all sizes of values, which are exchanged up to 8 bytes.
#[test]
fn keys_and_values_of_every_size() {
    fn check_sizes<K: RadixKey, V: Plain + PartialEq + Debug>(
        key: impl Fn(u64) -> K,
        value: impl Fn(u32) -> V,
    ) {
        let n = 2 * SortPlan::<K, V>::PAIRS_TILE + 7;
        let keys: Vec<_> = wide(n).iter().map(|&x| key(x % 1000)).collect();
        let values: Vec<_> = (0..n as u32).map(value).collect();
        let order = stable_order(&keys, false);
        let expected: Vec<_> = order.iter().map(|&i| values[i as usize]).collect();
        check(&expected, |device, stream| {
            let (x, v) = (device.upload(&keys)?, device.upload(&values)?);
            let (mut y, mut w) = (device.alloc_uninit(n)?, device.alloc_uninit(n)?);
            stream.sort_pairs(&x, &v).into(&mut y, &mut w)?;
            Ok(w.to_vec(stream)?)
        });
    }
    check_sizes(|x| x as u16, |i| i as u16);
    check_sizes(|x| x as u32, |i| u64::from(i) << 20);
    check_sizes(|x| x as u32, |i| [i; 4]);
    check_sizes(|x| x << 30, |i| i);
    check_sizes(|x| x << 30, |i| u64::from(i) << 20);
    check_sizes(|x| x << 30, |i| [i; 4]);
    check_sizes(|x| u128::from(x) << 60, |i| i as u8);
    check_sizes(|x| u128::from(x) << 60, |i| [i; 4]);
}

/// In one tile numbers of values are exchanged, which are larger than both.
#[test]
fn bytes_with_bytes() {
    for n in [TILE, 20_000] {
        let keys: Vec<_> = noise(n).iter().map(|&x| x as u8).collect();
        let order = stable_order(&keys, false);
        let expected: Vec<_> = order.iter().map(|&i| i as u8).collect();
        check(&expected, |device, stream| {
            let x = device.upload(&keys)?;
            let v = device.upload(&(0..n).map(|i| i as u8).collect::<Vec<_>>())?;
            let (mut y, mut w) = (device.alloc_uninit(n)?, device.alloc_uninit(n)?);
            stream.sort_pairs(&x, &v).into(&mut y, &mut w)?;
            Ok(w.to_vec(stream)?)
        });
    }
}

#[test]
fn in_place() {
    for n in [0, 100, TILE, 20_000] {
        let keys = noise(n);
        let bytes: Vec<_> = keys.iter().map(|&x| x as u8).collect();
        let mut expected = (keys.clone(), bytes.clone());
        expected.0.sort_unstable();
        expected.1.sort_unstable();
        check(&expected.0, |device, stream| {
            let mut x = device.upload(&keys)?;
            stream.sort_in_place(&mut x).run()?;
            Ok(x.to_vec(stream)?)
        });
        check(&expected.1, |device, stream| {
            let mut x = device.upload(&bytes)?;
            stream.sort_in_place(&mut x).run()?;
            Ok(x.to_vec(stream)?)
        });
    }
}

#[test]
fn only_the_first_elements_of_a_longer_output_are_written() {
    let keys = noise(30_000);
    let mut expected = keys.clone();
    expected.sort_unstable();
    expected.extend([7, 7]);
    check(&expected, |device, stream| {
        let x = device.upload(&keys)?;
        let mut y = device.filled(30_002, 7)?;
        stream.sort(&x).into(&mut y)?;
        Ok(y.to_vec(stream)?)
    });
}

#[test]
fn a_plan_serves_shorter_sorts() {
    let keys = noise(30_000);
    let sorted = |n: usize| {
        let mut sorted = keys[..n].to_vec();
        sorted.sort_unstable();
        sorted
    };
    let lengths = [30_000, 100, 20_000];
    let expected: Vec<_> = lengths.into_iter().flat_map(sorted).collect();
    check(&expected, |device, stream| {
        let x = device.upload(&keys)?;
        let mut plan = SortPlan::new(device, keys.len())?;
        let mut all = vec![];
        for n in lengths {
            let mut y = device.alloc_uninit(n)?;
            stream.sort(x.slice(..n)?).plan(&mut plan).into(&mut y)?;
            all.extend(y.to_vec(stream)?);
        }
        Ok(all)
    });
}

#[test]
fn graphs_record_a_sort_with_a_plan() {
    let keys = noise(20_000);
    let mut expected = keys.clone();
    expected.sort_unstable();
    check(&expected, |device, stream| {
        let mut x = device.zeroed(keys.len())?;
        let mut y = device.zeroed(keys.len())?;
        let mut plan = SortPlan::new(device, keys.len())?;
        let mut sorted = Ok(());
        let graph = Graph::capture(device, |s| {
            sorted = s.sort(&x).plan(&mut plan).into(&mut y);
            Ok::<(), warploom::Error>(())
        })?;
        sorted?;
        let graph = graph.instantiate()?;
        graph.launch(stream)?;
        x.copy_from(0, &keys, stream)?;
        graph.launch(stream)?;
        Ok(y.to_vec(stream)?)
    });
}

#[test]
fn what_does_not_fit_is_an_error() -> Result<(), Error> {
    let device = Device::emulator();
    let stream = device.stream()?;
    let x = device.upload(&noise(20_000))?;
    let (mut short, mut y) = (device.zeroed(19_999)?, device.zeroed(20_000)?);
    let mut plan = SortPlan::new(&device, 19_999)?;
    let values = device.zeroed::<u8>(19_999)?;
    let mut values_out = device.zeroed::<u8>(20_000)?;
    let errors = [
        stream.sort(&x).into(&mut short),
        stream.sort(&x).plan(&mut plan).into(&mut y),
        stream.sort(&x).bits(0..33).into(&mut y),
        stream.sort_pairs(&x, &values).into(&mut y, &mut values_out),
        stream.sort_pairs(&x, &x).into(&mut short, &mut y),
        stream.sort_pairs(&x, &x).into(&mut y, &mut short),
    ]
    .map(|result| result.expect_err("an error").to_string());
    assert_eq!(
        errors,
        [
            "the output of a sort has room for 19999 elements, but 20000 are needed; make it with at least that many",
            "the plan of a sort, for keys, has room for 19999 elements, but 20000 are needed; make it with at least that many",
            "the end of a sort's bits is 33, and must be at most the number of bits of a key",
            "the slice of keys has 20000 elements and the slice of values has 19999; they must be as many",
            "the output of a sort's keys has room for 19999 elements, but 20000 are needed; make it with at least that many",
            "the output of a sort's values has room for 19999 elements, but 20000 are needed; make it with at least that many",
        ]
    );
    Ok(())
}
